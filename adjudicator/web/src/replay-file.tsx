/** A replay in a file of its own, with the match in it: opens from a disk without a network. */
import 'chessground/assets/chessground.base.css';
import 'chessground/assets/chessground.cburnett.css';
import './style/tokens.css';
import './style/base.css';
import './style/board.css';
import './style/overview.css';
import './style/match.css';
import { render } from 'preact';
import { loading, t } from './language/language';
import { DecodeError } from './model/decode';
import { fromSnapshot } from './model/match';
import { labelOf } from './model/names';
import { matchSnapshot } from './model/wire';
import { Replay } from './pages/replay/Replay';

function page() {
  try {
    const held: unknown = JSON.parse(document.getElementById('match')?.textContent ?? '');
    const snapshot = matchSnapshot(held, '');
    document.title = t('{label}, replay', { label: labelOf(snapshot.table) });
    return <Replay match={fromSnapshot(snapshot.table.match ?? '', snapshot)} />;
  } catch (error) {
    if (error instanceof DecodeError || error instanceof SyntaxError) return <p class="note">{t('There is no match in this file: download it again.')}</p>;
    throw error;
  }
}

const root = document.getElementById('page');

function start() {
  if (root === null) return;
  root.replaceChildren();
  render(page(), root);
}

if (loading === null) start();
else void loading.then(start);
