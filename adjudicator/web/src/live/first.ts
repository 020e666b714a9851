/** What the server wrote into the page, shown until there is something better: whoever made it made text of everything that people wrote. */
export const FIRST: string = document.getElementById('page')?.innerHTML ?? '';
