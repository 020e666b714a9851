//! The games of a round as programs that broadcast chess take them: one game for each pairing, in the order of the tables.
//!
//! Lichess's relay asks an address for `games.pgn`, or for `index.json` and `game-1.pgn` and so on beside it; its Broadcaster watches a
//! folder with the same files. Both tell games apart by event, site, round, board and players, take a game whose start or identity
//! changed for another game, and refuse a game with an illegal move together with its result. So here every player is called
//! something, a pairing has one game, and a game goes on from the position after an illegal ply, as another game. What is shown is what
//! everybody may see, behind the audience's delay (`docs/records.md`).

use std::collections::{BTreeMap, BTreeSet};

use event::{Pairing, PairingId, SectionKind};
use rules::{
    BoardId, Color, Position, Seat,
    pgn::{self, GameResult, PgnPly, Stretch},
    standings::{EntrantNumber, Outcome, Score, Side},
};
use serde::Serialize;

use super::{Reader, bpgn, pgn::tags, standing::Standing};
use crate::{
    config::Config,
    hall::{Game, Hall},
    views::read_view::{Shown, Sight},
};

/// The file with all games of a round.
pub const ALL_GAMES: &str = "games.pgn";
/// The file that lists them.
pub const INDEX: &str = "index.json";
/// The folder of games that belong to no section.
const NO_SECTION: &str = "event";
/// Names that relay drops, in small letters.
const NO_NAMES: [&str; 3] = ["?", "bye", "unknown"];

/// The games of a round of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundFeed {
    /// The section; none for games that belong to none.
    pub section: Option<String>,
    /// The round; none without pairings.
    pub round: Option<u8>,
    /// Its path below the feed's folder or address, as `open/round-3`.
    pub path: String,
    /// In the order of the tables.
    pub games: Vec<FeedGame>,
}

/// A game of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedGame {
    /// Names of the two players, White first.
    pub players: [String; 2],
    /// The result as the index has it.
    pub result: String,
    /// Whether it is being played.
    pub is_live: bool,
    /// The game.
    pub pgn: String,
}

/// A file of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedFile {
    /// Its name.
    pub name: String,
    /// Its content.
    pub text: String,
}

impl RoundFeed {
    /// The files of the round: all games in one, the index, and each game by itself.
    pub fn files(&self) -> Vec<FeedFile> {
        let all: String = self.games.iter().map(|game| game.pgn.as_str()).collect();
        let mut files = vec![
            FeedFile { name: ALL_GAMES.to_owned(), text: all },
            FeedFile { name: INDEX.to_owned(), text: self.index() },
        ];
        files.extend((1..).zip(&self.games).map(|(number, game)| FeedFile {
            name: format!("game-{number}.pgn"),
            text: game.pgn.clone(),
        }));
        files
    }

    /// A file of the round by its name.
    pub fn file(&self, name: &str) -> Option<String> {
        self.files().into_iter().find(|file| file.name == name).map(|file| file.text)
    }

    fn index(&self) -> String {
        let player =
            |name: &String| IndexedPlayer { lname: name.clone(), ..IndexedPlayer::default() };
        let pairings = self.games.iter().map(|game| IndexedGame {
            white: player(&game.players[0]),
            black: player(&game.players[1]),
            result: game.result.clone(),
            live: game.is_live,
        });
        let index = Index { pairings: pairings.collect() };
        serde_json::to_string_pretty(&index).unwrap_or_default()
    }
}

/// Content of `index.json`, in the form of DGT's.
#[derive(Serialize)]
struct Index {
    pairings: Vec<IndexedGame>,
}

#[derive(Serialize)]
struct IndexedGame {
    white: IndexedPlayer,
    black: IndexedPlayer,
    result: String,
    live: bool,
}

#[derive(Default, Serialize)]
struct IndexedPlayer {
    fname: Option<String>,
    mname: Option<String>,
    lname: String,
    title: Option<String>,
}

/// A round of a section.
type FeedRound = (Option<String>, Option<u8>);

/// The rounds of chess that an audience sees, by section and round.
pub fn rounds(config: &Config, sight: &Sight) -> Vec<RoundFeed> {
    let shown = sight.games();
    let chess = || shown.iter().copied().filter(|shown| shown.game.game == rules::Game::Chess);
    // The last match of a pairing is the pairing's; without a pairing, the last one at a table.
    let mut of_pairing: BTreeMap<PairingId, Shown<'_>> = BTreeMap::new();
    let mut unpaired: BTreeMap<FeedRound, BTreeMap<&str, Shown<'_>>> = BTreeMap::new();
    for shown in chess() {
        let known = shown.game.pairing.filter(|id| shown.hall.event().pairings().contains_key(id));
        match known {
            Some(id) => _ = of_pairing.insert(id, shown),
            None => {
                let section = shown.hall.section_of(&shown.game.table, Some(shown.game));
                let tables = unpaired.entry((section, None)).or_default();
                tables.insert(&shown.game.table, shown);
            }
        }
    }
    let mut rounds: BTreeMap<FeedRound, Vec<Entry<'_>>> = BTreeMap::new();
    let sections = sight.latest().map(|hall| hall.event().sections()).into_iter().flatten();
    let of_chess = sections.filter(|(_, section)| section.terms.game == SectionKind::Players);
    for section in of_chess.map(|(name, _)| name) {
        let Some(hall) = sight.of_section(section) else { continue };
        for (id, pairing) in hall.event().pairings() {
            if pairing.section == *section && pairing.withdrawn.is_none() {
                let game = of_pairing.get(id).map(|shown| shown.game);
                let entry =
                    Entry { hall, table: &pairing.table, pairing: Some((*id, pairing)), game };
                let key = (Some(section.clone()), Some(pairing.round));
                rounds.entry(key).or_default().push(entry);
            }
        }
    }
    for (key, tables) in unpaired {
        let entries = tables.into_iter().map(|(table, shown)| Entry {
            hall: shown.hall,
            table,
            pairing: None,
            game: Some(shown.game),
        });
        rounds.insert(key, entries.collect());
    }
    let folders = folders(rounds.keys().map(|(section, _)| section.as_deref()));
    let feed = |((section, round), entries): (FeedRound, Vec<Entry<'_>>)| {
        let folder = folders.get(&section).cloned().unwrap_or_default();
        let path = match round {
            Some(round) => format!("{folder}/round-{round}"),
            None => format!("{folder}/now"),
        };
        RoundFeed { section, round, path, games: games(config, entries, round) }
    };
    rounds.into_iter().map(feed).collect()
}

/// Name of each section's folder: letters, digits and dashes, no two alike.
fn folders<'a>(
    sections: impl Iterator<Item = Option<&'a str>>,
) -> BTreeMap<Option<String>, String> {
    let mut taken = BTreeSet::new();
    let mut folders = BTreeMap::new();
    for section in sections.map(|section| section.map(str::to_owned)).collect::<BTreeSet<_>>() {
        let plain = section.as_deref().map_or_else(|| NO_SECTION.to_owned(), plain);
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        let name = names.find(|name| taken.insert(name.clone())).unwrap_or(plain);
        folders.insert(section, name);
    }
    folders
}

fn plain(section: &str) -> String {
    let letter = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter.to_ascii_lowercase(),
        false => '-',
    };
    let name: String = section.chars().map(letter).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "section".to_owned() } else { name.to_owned() }
}

/// A place in a round: a pairing, or a table without one.
#[derive(Clone, Copy)]
struct Entry<'a> {
    hall: &'a Hall,
    table: &'a str,
    pairing: Option<(PairingId, &'a Pairing)>,
    game: Option<&'a Game>,
}

fn games(config: &Config, mut entries: Vec<Entry<'_>>, round: Option<u8>) -> Vec<FeedGame> {
    let number = |entry: &Entry<'_>| entry.table.parse::<u32>().ok().filter(|number| *number > 0);
    entries.sort_by(|one, other| {
        let key = |entry: &Entry<'_>| {
            (number(entry).unwrap_or(u32::MAX), entry.pairing.map(|(id, _)| id))
        };
        key(one).cmp(&key(other)).then_with(|| one.table.cmp(other.table))
    });
    // A board keeps its number although a table is paired later.
    let numbers: BTreeSet<u32> = entries.iter().filter_map(number).collect();
    let is_numbered = numbers.len() == entries.len();
    let board = |(place, entry): (u32, &Entry<'_>)| match number(entry).filter(|_| is_numbered) {
        Some(number) => number,
        None => place,
    };
    (1..).zip(&entries).map(|it| it.1.game(config, round, board(it))).collect()
}

impl Entry<'_> {
    fn game(&self, config: &Config, round: Option<u8>, board: u32) -> FeedGame {
        let players = [Color::White, Color::Black].map(|color| self.player(color));
        let result = self.result();
        let stretch = self.game.map(stretch);
        let mut tags: Vec<(&'static str, String)> = match self.game {
            Some(game) => tags(config, self.hall, game, BoardId::A, &result),
            None => vec![
                ("Event", config.event.name.clone()),
                ("Site", config.event.site.clone().unwrap_or_else(|| "?".to_owned())),
                ("Date", "????.??.??".to_owned()),
                ("Round", String::new()),
                ("White", String::new()),
                ("Black", String::new()),
                ("Result", result.clone()),
                ("Table", self.table.to_owned()),
            ],
        };
        let id = self.pairing.map(|(id, _)| id.to_string());
        let id = id.or_else(|| self.game.map(|game| game.id.clone())).unwrap_or_default();
        let illegal = stretch.as_ref().map_or(0, |stretch| stretch.illegal);
        set(&mut tags, "Round", round.map_or_else(|| "?".to_owned(), |round| round.to_string()));
        set(&mut tags, "White", players[0].clone());
        set(&mut tags, "Black", players[1].clone());
        set(&mut tags, "Board", board.to_string());
        set(&mut tags, "GameId", game_id(&id, illegal));
        tags.retain(|(name, _)| *name != pgn::FEN_TAG);
        if let Some(stretch) = &stretch {
            if stretch.illegal > 0 {
                // Relay takes a new start of the game that it knows for a mistake, and of another game for a start.
                let from = format!("from move {}", stretch.start.fullmove_number());
                let site = config.event.site.as_ref().map(|site| format!("{site}, {from}"));
                set(&mut tags, "Site", site.unwrap_or(from));
            }
            if stretch.start != Position::initial() || stretch.illegal > 0 {
                tags.extend(pgn::set_up(rules::fen::format_chess(&stretch.start)));
            }
        }
        let items = stretch.map(|stretch| stretch.items).unwrap_or_default();
        let written = GameResult::parse(&result).unwrap_or_default();
        FeedGame {
            players,
            is_live: self.game.is_some_and(|game| !game.is_done())
                && written == GameResult::Unknown,
            pgn: pgn::write_items(&tags, &items, written),
            result,
        }
    }

    /// A player's name: its own where names are shown, else the entrant's public name, else one made from the table.
    fn player(&self, color: Color) -> String {
        let seat = Seat { board: BoardId::A, color };
        let names = self.hall.disclosure().names();
        let people = self.hall.people(self.table, self.game, names);
        let is_name = |name: &String| {
            let name = name.trim();
            name.chars().count() > 1 && !NO_NAMES.contains(&name.to_lowercase().as_str())
        };
        let named = match self.pairing {
            Some((_, pairing)) => pairing
                .seats
                .get(seat.index())
                .and_then(|player| self.hall.event().person_name(*player, names)),
            None => people.players[seat.index()].clone(),
        };
        let by_entrant = || {
            let (_, pairing) = self.pairing?;
            let white = self.white_side()?;
            let side = if color.is_white() { white } else { white.other() };
            let numbers = pairing.sides[usize::from(side == Side::Second)].clone();
            let [number]: [EntrantNumber; 1] = numbers.try_into().ok()?;
            Some(self.hall.event().entrant_name(&pairing.section, number, names))
        };
        let by_table =
            || format!("Table {} {}", self.table, if color.is_white() { "White" } else { "Black" });
        named.filter(is_name).or_else(|| by_entrant().filter(is_name)).unwrap_or_else(by_table)
    }

    /// Side of the pairing that has White: by the seats, and for a result without a game the first.
    fn white_side(&self) -> Option<Side> {
        let (id, pairing) = self.pairing?;
        let by_seats = self.hall.event().first_side_is_team_one(id);
        let is_first = by_seats.or_else(|| (!pairing.outcomes.is_empty()).then_some(true))?;
        Some(if is_first { Side::First } else { Side::Second })
    }

    /// The result: what the game ended with, or else what was entered for the pairing.
    fn result(&self) -> String {
        let ending = self.game.and_then(Game::ending);
        if ending.as_ref().is_some_and(crate::hall::Ending::is_loss_of_both) {
            return GameResult::BothLost.to_string();
        }
        let of_game = self.game.map_or("*", |game| bpgn::board_result(game, BoardId::A));
        let entered = self.pairing.and_then(|(_, pairing)| pairing.outcomes.last());
        match (of_game, entered, self.white_side()) {
            ("*", Some(outcome), Some(white)) => result_of(*outcome, white).to_string(),
            _ => of_game.to_owned(),
        }
    }
}

/// An outcome as PGN has it, if this side has White.
fn result_of(outcome: Outcome, white: Side) -> GameResult {
    match [white, white.other()].map(|side| outcome.points(side)) {
        [Score::ONE, Score::ZERO] => GameResult::White,
        [Score::ZERO, Score::ONE] => GameResult::Black,
        [Score::HALF, Score::HALF] => GameResult::Draw,
        [Score::ZERO, Score::ZERO] => GameResult::BothLost,
        // PGN has no word for half a point and none.
        _ => GameResult::Unknown,
    }
}

/// The id by which relay knows a game: another one for each start.
fn game_id(id: &str, illegal: usize) -> String {
    let plain: String =
        id.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '-' }).collect();
    match illegal {
        0 => plain,
        _ => format!("{plain}-{}", illegal + 1),
    }
}

fn set(tags: &mut Vec<(&'static str, String)>, name: &'static str, value: String) {
    match tags.iter_mut().find(|(known, _)| *known == name) {
        Some((_, old)) => *old = value,
        None => tags.push((name, value)),
    }
}

/// The shown part of a game.
///
/// An illegal ply whose claim is open and silent is not shown until the opponent has replied: a game that goes on
/// from another position would point at it while the opponent may claim. From the reply on it was left on the board.
fn stretch(game: &Game) -> Stretch {
    let standing = Standing::of(game);
    let all = game.referee().timeline().plies();
    let mut plies: Vec<(Color, PgnPly)> = Vec::new();
    let places = standing.places().iter().filter(|&&index| all[index].report.board == BoardId::A);
    let places: Vec<usize> = places.copied().collect();
    for (at, &index) in places.iter().enumerate() {
        let ply = &all[index];
        let is_silent = ply.illegal.is_some() && !Reader::Public.may_mark(game, index);
        if is_silent && at + 1 == places.len() {
            break;
        }
        let clock_ms = Reader::Public.clock_ms(game, index);
        plies.push((ply.report.side, PgnPly { ply: ply.report.ply, clock_ms, comment: None }));
    }
    let start = game.referee().timeline().start().position(BoardId::A);
    pgn::last_stretch(start, plies.iter().map(|(color, ply)| (*color, ply)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_have_folders_that_no_system_refuses_and_no_two_share() {
        let sections = ["K-3", "K 3", "Öffnung/../x", "§§", ""].map(Some);
        let folders = folders(sections.into_iter().chain([None]));
        let names: BTreeSet<&String> = folders.values().collect();
        assert_eq!(names.len(), folders.len(), "{folders:?}");
        let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
        assert!(
            names.iter().all(|name| !name.is_empty() && name.chars().all(is_plain)),
            "{names:?}"
        );
        assert_eq!(folders[&Some("K-3".to_owned())], "k-3-2");
        assert_eq!(folders[&None], "event");
    }

    #[test]
    fn result_is_turned_to_whoever_has_white() {
        for (outcome, white, result) in [
            (Outcome::Win(Side::First), Side::First, "1-0"),
            (Outcome::Win(Side::First), Side::Second, "0-1"),
            (Outcome::ForfeitWin(Side::Second), Side::First, "0-1"),
            (Outcome::Draw, Side::Second, "1/2-1/2"),
            (Outcome::DoubleForfeit, Side::First, "0-0"),
        ] {
            assert_eq!(result_of(outcome, white).to_string(), result);
        }
    }
}
