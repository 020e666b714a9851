/** Text of the page before its scripts were loaded, until there is something better. */
import { FIRST } from '../live/first';

export function First() {
  return <div lang="en" dangerouslySetInnerHTML={{ __html: FIRST }} />;
}
