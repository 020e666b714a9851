/**
 * Two boards and four reserves as pieces that are picked up and put down. No rules: recordings say
 * what was played. Every dropped piece remembers what else it might have been.
 */

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR';

export class Play {
  boards = { A: parse(START), B: parse(START) };
  turn = { A: 'white', B: 'white' };
  reserves = { A: { white: [], black: [] }, B: { white: [], black: [] } };
  numbers = { A: 1, B: 1 };

  /** Plays one ply; `doubt` = `{p, candidates}` is what is known about the piece it drops. */
  apply(board, uci, doubt) {
    const squares = this.boards[board];
    const side = this.turn[board];
    if (uci[1] === '@') {
      const letter = uci[0].toUpperCase();
      const held = this.reserves[board][side];
      const slot = held.indexOf(letter);
      if (slot >= 0) held.splice(slot, 1);
      squares.set(uci.slice(2, 4), { letter: side === 'white' ? letter : letter.toLowerCase(), promoted: false, doubt });
    } else {
      this.move(board, side, uci);
    }
    const number = this.numbers[board];
    if (side === 'black') this.numbers[board] += 1;
    this.turn[board] = side === 'white' ? 'black' : 'white';
    return { side, number };
  }

  move(board, side, uci) {
    const squares = this.boards[board];
    const [from, to] = [uci.slice(0, 2), uci.slice(2, 4)];
    const piece = squares.get(from);
    if (piece === undefined) return;
    const pawn = piece.letter.toLowerCase() === 'p';
    const victimAt = pawn && from[0] !== to[0] && !squares.has(to) ? to[0] + from[1] : to;
    const victim = squares.get(victimAt);
    if (victim !== undefined) {
      squares.delete(victimAt);
      const other = board === 'A' ? 'B' : 'A';
      const colour = victim.letter === victim.letter.toUpperCase() ? 'white' : 'black';
      this.reserves[other][colour].push(victim.promoted ? 'P' : victim.letter.toUpperCase());
    }
    squares.delete(from);
    const promoted = uci.length === 5;
    const letter = promoted ? (side === 'white' ? uci[4].toUpperCase() : uci[4]) : piece.letter;
    squares.set(to, { ...piece, letter, promoted: promoted || piece.promoted });
    if (piece.letter.toLowerCase() === 'k' && Math.abs(from.charCodeAt(0) - to.charCodeAt(0)) === 2) {
      const [rookFrom, rookTo] = to[0] === 'g' ? ['h', 'f'] : ['a', 'd'];
      const rook = squares.get(rookFrom + from[1]);
      squares.delete(rookFrom + from[1]);
      if (rook !== undefined) squares.set(rookTo + from[1], rook);
    }
  }

  fen(board) {
    return write(this.boards[board]);
  }

  uncertain(board) {
    return [...this.boards[board]].flatMap(([square, { doubt }]) =>
      doubt === undefined || doubt.p >= 0.9 ? [] : [{ square, p: doubt.p, candidates: doubt.candidates }],
    );
  }

  held(board) {
    const order = 'QRBNP';
    const text = (side) => [...this.reserves[board][side]].sort((a, b) => order.indexOf(a) - order.indexOf(b)).join('');
    return { white: text('white'), black: text('black') };
  }
}

function parse(fen) {
  const squares = new Map();
  fen.split('/').forEach((rank, row) => {
    let file = 0;
    for (const char of rank) {
      if (/\d/.test(char)) file += Number(char);
      else squares.set('abcdefgh'[file++] + (8 - row), { letter: char, promoted: false });
    }
  });
  return squares;
}

function write(squares) {
  const ranks = [];
  for (let rank = 8; rank >= 1; rank -= 1) {
    let text = '';
    let empty = 0;
    for (const file of 'abcdefgh') {
      const piece = squares.get(file + rank);
      if (piece === undefined) empty += 1;
      else {
        text += (empty > 0 ? empty : '') + piece.letter + (piece.promoted ? '~' : '');
        empty = 0;
      }
    }
    ranks.push(text + (empty > 0 ? empty : ''));
  }
  return ranks.join('/');
}
