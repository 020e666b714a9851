//! A reader of broadcasts written after what Lichess's relay does with what it polls: which game is which chapter, when a chapter's
//! start may change, and what it refuses. One bad game refuses the whole round.

use rules::{
    Ply,
    fen::format_chess,
    pgn::{self, GameResult, PgnGame},
};

/// The relay's state of a game.
#[derive(Clone, Debug)]
pub(crate) struct Chapter {
    tags: Vec<(String, String)>,
    start: String,
    moves: Vec<Ply>,
    /// The position that viewers see.
    pub(crate) position: String,
    pub(crate) result: GameResult,
}

impl Chapter {
    pub(crate) fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A round as viewers see it.
#[derive(Debug, Default)]
pub(crate) struct Relay {
    pub(crate) chapters: Vec<Chapter>,
}

impl Relay {
    /// Takes what was polled.
    pub(crate) fn sync(&mut self, polled: &str) -> Result<(), String> {
        let mut games = Vec::new();
        for (game, error) in pgn::read(polled.as_bytes()) {
            match error {
                Some(error) => return Err(error.to_string()),
                None if !game.warnings.is_empty() => return Err(format!("{:?}", game.warnings)),
                None => games.push(without_broken_names(game)),
            }
        }
        let mut matched: Vec<usize> = Vec::new();
        for game in &games {
            let same = |(at, chapter): (usize, &Chapter)| {
                (!matched.contains(&at) && is_same_game(game, chapter)).then_some(at)
            };
            let known = self.chapters.iter().enumerate().find_map(same);
            match known {
                Some(at) => matched.push(at),
                None => {
                    matched.push(self.chapters.len());
                    self.chapters.push(Chapter {
                        tags: Vec::new(),
                        start: start(game)?,
                        moves: Vec::new(),
                        position: String::new(),
                        result: GameResult::Unknown,
                    });
                }
            }
            let at = matched.last().copied().unwrap_or_default();
            self.chapters[at].update(game)?;
        }
        Ok(())
    }

    /// The chapter that is shown of a table: the last one that was begun.
    pub(crate) fn at_table(&self, table: &str) -> Option<&Chapter> {
        self.chapters.iter().rev().find(|chapter| chapter.tag("Table") == Some(table))
    }
}

impl Chapter {
    fn update(&mut self, game: &PgnGame) -> Result<(), String> {
        let start = start(game)?;
        if self.start != start {
            // The start changes only as long as hardly anything was played.
            if self.moves.len() > 1 {
                return Err(format!("the start of a game that is under way became {start}"));
            }
            self.start = start;
        }
        self.moves = game.plies.iter().map(|ply| ply.ply).collect();
        self.position = format_chess(&game.final_position().map_err(|error| error.to_string())?);
        self.tags.clone_from(&game.tags);
        self.result = game.result;
        Ok(())
    }
}

fn start(game: &PgnGame) -> Result<String, String> {
    game.start().map(|start| format_chess(&start)).map_err(|error| error.to_string())
}

fn without_broken_names(mut game: PgnGame) -> PgnGame {
    game.tags.retain(|(name, value)| {
        let is_name = name == "White" || name == "Black";
        let value = value.trim();
        !is_name || value.chars().count() > 1 && value.to_lowercase() != "unknown"
    });
    game
}

/// By the game's id, or by event, site, round, board and players.
fn is_same_game(game: &PgnGame, chapter: &Chapter) -> bool {
    let same_id = game.tag("GameId").is_some() && game.tag("GameId") == chapter.tag("GameId");
    let tags = ["Event", "Site", "Round", "Board", "White", "Black"];
    same_id || tags.into_iter().all(|tag| game.tag(tag) == chapter.tag(tag))
}
