"""What the scripts that make vectors share: hashes, weights of moves, boards with what is rare, files and their check."""

import pathlib
import sys

import chess

HERE = pathlib.Path(__file__).parent


def fnv1a(text):
    """FNV-1a in 64 bits."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def weight(board, move, capture):
    """Play that meets everything: promotions, castling, en passant, and captures with this weight."""
    if move.promotion:
        return 12
    if board.is_castling(move):
        return 25
    if board.is_en_passant(move):
        return 60
    if board.is_capture(move):
        return capture
    if board.piece_type_at(move.from_square) == chess.PAWN:
        return 2
    return 1


def place_kings(rng, board, kings):
    """The kings; where they are at home, rooks in some of the corners, too. Either side is to move."""
    for color, square in zip((chess.WHITE, chess.BLACK), kings):
        board.set_piece_at(square, chess.Piece(chess.KING, color))
    board.turn = rng.random() < 0.5
    if kings == [chess.E1, chess.E8]:
        for square, color in ((0, True), (7, True), (56, False), (63, False)):
            if rng.random() < 0.6:
                board.set_piece_at(square, chess.Piece(chess.ROOK, color))


def place_en_passant_pair(rng, board):
    """A pawn that can have come two squares, and one of the side to move beside it."""
    rank = 4 if board.turn == chess.WHITE else 3
    file = rng.randrange(7)
    pair = [chess.square(file, rank), chess.square(file + 1, rank)]
    if any(board.piece_at(square) for square in pair):
        return
    rng.shuffle(pair)
    for square, color in zip(pair, (board.turn, not board.turn)):
        board.set_piece_at(square, chess.Piece(chess.PAWN, color))


def add_special_rights(rng, board):
    """Castling rights where king and rook allow them, and an en passant square where a pawn allows it."""
    board.castling_rights = chess.BB_CORNERS
    board.castling_rights = board.clean_castling_rights()
    enemy = not board.turn
    rank, step = (3, -8) if enemy == chess.WHITE else (4, 8)
    for file in rng.sample(range(8), 8):
        square = chess.square(file, rank)
        if board.piece_at(square) == chess.Piece(chess.PAWN, enemy) and not (
            board.piece_at(square + step) or board.piece_at(square + 2 * step)
        ):
            board.ep_square = square + step
            return


def write(name, text):
    (HERE / name).write_text(text, encoding="utf-8", newline="\n")


def check(name, text):
    if text != (HERE / name).read_text(encoding="utf-8"):
        sys.exit(f"{name} differs from what the oracles say now: run {sys.argv[0]} and look at the difference")
    print(f"{name}: as the oracles say, {text.count(chr(10))} lines")
