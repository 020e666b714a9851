/** A replay in a file of its own, with the match in it: opens from a disk without a network. */
import 'chessground/assets/chessground.base.css';
import 'chessground/assets/chessground.cburnett.css';
import './style/tokens.css';
import './style/base.css';
import './style/board.css';
import './style/overview.css';
import './style/match.css';
import { render } from 'preact';
import { DecodeError } from './model/decode';
import { fromSnapshot } from './model/match';
import { matchSnapshot } from './model/wire';
import { Replay } from './pages/replay/Replay';

function page() {
  try {
    const held: unknown = JSON.parse(document.getElementById('match')?.textContent ?? '');
    const snapshot = matchSnapshot(held, '');
    document.title = `${snapshot.table.label}, replay`;
    return <Replay match={fromSnapshot(snapshot.table.match ?? '', snapshot)} />;
  } catch (error) {
    if (error instanceof DecodeError || error instanceof SyntaxError) return <p class="note">There is no match in this file: download it again.</p>;
    throw error;
  }
}

const root = document.getElementById('page');
if (root !== null) {
  root.replaceChildren();
  render(page(), root);
}
