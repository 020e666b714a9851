/** The server's first HTML in the page, shown until the scripts draw: everything that people wrote is escaped in it. */
export const FIRST: string = document.getElementById('page')?.innerHTML ?? '';
