//! The terms of play of a table: game, rulebook and time control.
//!
//! They are kept apart from the wiring: a table whose terms cannot be is left out, and the hub's other tables are followed.

use rules::rulebook::{BookId, Topic};
use rules::{
    BoardId, DelayKind, Game, MAX_BASE_S, MAX_PER_MOVE_S, MAX_PERIOD_MOVES, MAX_PERIODS, Period,
    TimeControl, TimeControlError,
};

use super::{
    check::{Problems, quoted},
    raw,
};

/// Terms of play of a table.
pub(super) struct Terms {
    pub(super) game: Game,
    pub(super) rulebook: BookId,
    pub(super) time: TimeControl,
}

/// Reads what a table plays; none if a part cannot be read. There may be problems all the same.
pub(super) fn check(key: &str, raw: &raw::RawTable, problems: &mut Problems) -> Option<Terms> {
    let game = check_game(key, raw, problems);
    let rulebook = check_rulebook(key, &raw.rulebook, game, problems);
    let time = check_time(key, raw, problems);
    if let (Some(rulebook), Some(time)) = (rulebook, &time) {
        check_limits(key, rulebook, time, problems);
    }
    Some(Terms { game: game?, rulebook: rulebook?, time: time? })
}

/// Checks the time against what the rulebook calls its kind of game.
fn check_limits(key: &str, rulebook: BookId, time: &TimeControl, problems: &mut Problems) {
    let book = rulebook.book();
    if book.terms.time.limits.allow(time) {
        return;
    }
    let limits = book.terms.value(Topic::TimeControl).unwrap_or_default();
    let rule = book.cite(Topic::TimeControl).map_or_else(String::new, |rule| format!(" ({rule})"));
    problems.add(
        &format!("{key}.base_s"),
        time.to_pgn_tag(),
        format!("this rulebook is for {limits} a player, with sixty times the increment{rule}"),
        "correct the time, or name another rulebook",
    );
}

fn check_game(key: &str, raw: &raw::RawTable, problems: &mut Problems) -> Option<Game> {
    let Some(word) = &raw.game else { return Some(Game::default()) };
    let Ok(game) = word.parse() else {
        let known = Game::ALL.map(|game| quoted(game.name())).join(" or ");
        problems.add(
            &format!("{key}.game"),
            quoted(word),
            "no game that is known here",
            format!("write {known}"),
        );
        return None;
    };
    if game == Game::Chess {
        let second = BoardId::B.to_string();
        let nodes = raw.node.iter().map(|node| &node.board).enumerate();
        let levers = raw.lever.iter().map(|lever| &lever.board).enumerate();
        let named = nodes.map(|at| ("node", at)).chain(levers.map(|at| ("lever", at)));
        for (what, (index, board)) in named.filter(|(_, (_, board))| **board == second) {
            problems.add(
                &format!("{key}.{what}[{}].board", index + 1),
                quoted(board),
                "chess is played on board \"A\" alone",
                format!("remove the {what}, or write game = \"bughouse\""),
            );
        }
    }
    Some(game)
}

fn check_rulebook(
    key: &str,
    word: &str,
    game: Option<Game>,
    problems: &mut Problems,
) -> Option<BookId> {
    let key = format!("{key}.rulebook");
    let Ok(id) = word.parse::<BookId>() else {
        let known = BookId::ALL.map(BookId::name).join(", ");
        problems.add(
            &key,
            quoted(word),
            "no rulebook of this release",
            format!("name one that `twinboard rulebook` lists: {known}"),
        );
        return None;
    };
    let (game, book_game) = (game?, id.book().terms.game);
    if book_game != game {
        let fitting: Vec<String> = books_for(game).map(|id| quoted(id.name())).collect();
        problems.add(
            &key,
            quoted(word),
            format!("a book for {book_game}, and the table plays {game}"),
            format!("write game = \"{book_game}\", or a book for {game}: {}", fitting.join(", ")),
        );
    }
    Some(id)
}

fn books_for(game: Game) -> impl Iterator<Item = BookId> {
    BookId::ALL.into_iter().filter(move |id| id.book().terms.game == game)
}

fn check_time(key: &str, raw: &raw::RawTable, problems: &mut Problems) -> Option<TimeControl> {
    let at = |name: &str| format!("{key}.{name}");
    let mut own = Problems::default();
    let mut per_move =
        |name, value: Option<i64>| own.number(&at(name), value.unwrap_or(0), 0, MAX_PER_MOVE_S);
    let (increment_s, delay_s) =
        (per_move("increment_s", raw.increment_s), per_move("delay_s", raw.delay_s));
    let base_min_s = u32::from(increment_s == 0 && delay_s == 0);
    let periods: Vec<Period> = match (raw.base_s, &raw.periods) {
        (Some(base_s), None) => {
            vec![Period {
                base_s: own.number(&at("base_s"), base_s, base_min_s, MAX_BASE_S),
                moves: None,
            }]
        }
        (None, Some(periods)) => {
            let read = |(index, period): (usize, &raw::Period)| {
                let at = |name: &str| format!("{key}.periods[{}].{name}", index + 1);
                let moves = |moves| own.number(&at("moves"), moves, 1, MAX_PERIOD_MOVES);
                let moves = period.moves.map(moves);
                Period {
                    base_s: own.number(&at("base_s"), period.base_s, base_min_s, MAX_BASE_S),
                    moves,
                }
            };
            periods.iter().enumerate().map(read).collect()
        }
        (Some(base_s), Some(_)) => {
            own.add(&at("base_s"), base_s, "stands beside periods", "keep one of the two");
            Vec::new()
        }
        (None, None) => {
            own.add(
                &at("base_s"),
                "nothing",
                "the table has no time control",
                "write base_s = 300 for five minutes, or periods = [{ base_s = 5400, moves = 40 }, { base_s = 1800 }]",
            );
            Vec::new()
        }
    };
    if raw.delay.is_some() && delay_s == 0 && own.is_empty() {
        own.add(&at("delay"), "given", "there is no delay", "write delay_s too, or remove it");
    }
    let time = own.is_empty().then(|| {
        TimeControl::new(periods, increment_s, delay_s, raw.delay.unwrap_or(DelayKind::Us))
    });
    if let Some(Err(error)) = &time {
        name(key, error, &mut own);
    }
    problems.append(own);
    time?.ok()
}

/// Says which key contradicts which; single numbers are within their bounds already.
fn name(key: &str, error: &TimeControlError, problems: &mut Problems) {
    let at = |name: &str| format!("{key}.{name}");
    match error {
        TimeControlError::NoPeriod => problems.add(
            &at("periods"),
            "[]",
            "there is no period",
            "write at least one, for example periods = [{ base_s = 300 }]",
        ),
        TimeControlError::Periods(count) => problems.add(
            &at("periods"),
            format!("{count} periods"),
            format!("more than {MAX_PERIODS}"),
            "remove some",
        ),
        TimeControlError::EndlessPeriod { number } => problems.add(
            &at(&format!("periods[{number}].moves")),
            "nothing",
            "only the last period may go on without a number of moves",
            "write for example moves = 40, or remove the periods behind it",
        ),
        TimeControlError::IncrementAndDelay { increment_s, delay_s } => problems.add(
            &at("delay_s"),
            delay_s,
            format!("stands beside increment_s = {increment_s}"),
            "a clock does one of the two: remove the other",
        ),
        other => problems.add(key, "time control", other.to_string(), "correct it"),
    }
}
