//! The adjudicator's record of a match, of bughouse or of chess: what a comparison needs of it, and its text.

use rules::{
    BoardId, Color, Ply,
    bpgn::{self, BpgnError, BpgnGame},
    pgn::{self, PgnError, PgnGame},
};

/// The tag of the match's id.
const MATCH_TAG: &str = "Match";
/// The tag of the table.
const TABLE_TAG: &str = "Table";
/// The tag that only games which are no chess have.
const VARIANT_TAG: &str = "Variant";

/// A record.
pub(super) struct Record {
    /// The match's id.
    pub(super) match_id: String,
    /// The table's name.
    pub(super) table: String,
    /// The plies of all boards, in order of play, as far as they can be read.
    pub(super) plies: Vec<RecordedPly>,
    /// The record as written.
    pub(super) text: String,
    /// Ending of its file's name.
    pub(super) extension: &'static str,
    /// Reason why it cannot be read to its end.
    pub(super) unreadable: Option<String>,
}

/// A ply of a record.
pub(super) struct RecordedPly {
    /// The board.
    pub(super) board: BoardId,
    /// The side.
    pub(super) color: Color,
    /// The ply.
    pub(super) ply: Ply,
}

/// The matches of bughouse in an event's BPGN.
pub(super) fn of_bughouse(text: &str) -> Vec<Record> {
    bpgn::read(text.as_bytes()).into_iter().map(bughouse).collect()
}

/// The games of chess in an event's PGN, which holds boards of bughouse too.
pub(super) fn of_chess(text: &str) -> Vec<Record> {
    let games = pgn::read(text.as_bytes()).into_iter();
    let is_chess = |game: &PgnGame| game.tag(VARIANT_TAG).is_none() && !game.tags.is_empty();
    games.filter(|(game, _)| is_chess(game)).map(|(game, error)| chess(&game, error)).collect()
}

fn bughouse(read: Result<BpgnGame, BpgnError>) -> Record {
    let (unreadable, game) = match read {
        Ok(game) => (None, game),
        Err(error) => (Some(error.to_string()), *error.readable),
    };
    let plies = game.plies.iter();
    Record {
        match_id: game.tag(MATCH_TAG).unwrap_or_default().to_owned(),
        table: game.tag(TABLE_TAG).unwrap_or_default().to_owned(),
        plies: plies
            .map(|ply| RecordedPly { board: ply.board, color: ply.color, ply: ply.ply })
            .collect(),
        text: bpgn::write(&game),
        extension: "bpgn",
        unreadable,
    }
}

fn chess(game: &PgnGame, error: Option<PgnError>) -> Record {
    let sides = [Color::White, Color::Black].into_iter().cycle();
    let plies = game.plies.iter().zip(sides);
    Record {
        match_id: game.tag(MATCH_TAG).unwrap_or_default().to_owned(),
        table: game.tag(TABLE_TAG).unwrap_or_default().to_owned(),
        plies: plies
            .map(|(ply, color)| RecordedPly { board: BoardId::A, color, ply: ply.ply })
            .collect(),
        text: pgn::write(game),
        extension: "pgn",
        unreadable: error.map(|error| error.to_string()),
    }
}
