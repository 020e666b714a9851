/** Chooses the page by the address. Pages are plain links to each other, but for the directors'; each has one event stream. */
import 'chessground/assets/chessground.base.css';
import 'chessground/assets/chessground.cburnett.css';
import './style/tokens.css';
import './style/base.css';
import './style/board.css';
import './style/overview.css';
import './style/match.css';
import './style/one-board.css';
import { render } from 'preact';
import { loading } from './language/language';
import { loadDesk } from './language/td';
import { Mishap } from './components/Mishap';
import { MatchPage } from './pages/MatchPage';
import { Overview } from './pages/Overview';
import { later } from './pages/later';
import { decoded } from './pages/decoded';

/** Pages that few viewers open come in chunks of their own. */
const TdPages = later(async () => {
  await loadDesk();
  return (await import('./pages/td/TdPages')).TdPages;
});
const OverlayPages = later(async () => (await import('./pages/overlay/OverlayPages')).OverlayPages);
const EmbedPage = later(async () => (await import('./pages/EmbedPage')).EmbedPage);
const SheetPage = later(async () => (await import('./pages/SheetPage')).SheetPage);
const ReplayPage = later(async () => (await import('./pages/replay/ReplayPage')).ReplayPage);
const PairingsPage = later(async () => (await import('./pages/PairingsPage')).PairingsPage);
const ChildPage = later(async () => (await import('./pages/ChildPage')).ChildPage);
const AtTablePage = later(async () => (await import('./pages/AtTablePage')).AtTablePage);
const ScreenPage = later(async () => (await import('./pages/screen/ScreenPage')).ScreenPage);
const StandingsPage = later(async () => (await import('./pages/standings/StandingsPage')).StandingsPage);

function page() {
  const [kind, ...rest] = window.location.pathname.split('/').filter(Boolean);
  const name = decoded(rest.join('/'));
  if (kind === 'match' && rest.length === 2 && rest[1] === 'replay') return <ReplayPage id={decoded(rest[0] ?? '')} />;
  if (kind === 'match' && rest.length === 2 && rest[1] === 'sheet') return <SheetPage id={decoded(rest[0] ?? '')} />;
  if (kind === 'match' && name !== '') return <MatchPage subject={{ kind: 'match', match: name }} />;
  if (kind === 'table' && name !== '') return <MatchPage subject={{ kind: 'table', table: name }} />;
  if (kind === 'td') return <TdPages />;
  if (kind === 'embed') return <EmbedPage path={rest.map(decoded)} />;
  if (kind === 'overlay') return <OverlayPages path={rest.map(decoded)} />;
  if (kind === 'standings') return <StandingsPage />;
  if (kind === 'pairings') return <PairingsPage />;
  if (kind === 'child') return <ChildPage />;
  if (kind === 'at-table') return <AtTablePage />;
  if (kind === 'screen') return <ScreenPage />;
  return <Overview />;
}

const root = document.getElementById('page');

function start() {
  if (root === null) return;
  root.replaceChildren();
  render(<Mishap>{page()}</Mishap>, root);
}

if (loading === null) start();
else void loading.then(start);
