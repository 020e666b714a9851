/** What the page said before its scripts came, as long as nothing else is known. */
import { FIRST } from '../live/first';

export function First() {
  return <div lang="en" dangerouslySetInnerHTML={{ __html: FIRST }} />;
}
