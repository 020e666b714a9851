//! Plan of one day, drawn from its seed before anything moves.

use event::{Deed, Entry, PairingId, PersonName, PlayerId, SectionKind, SectionTerms, TeamId};
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use readings::Reading as SensorReading;
use rules::rulebook::BookId;
use rules::standings::{EntrantNumber, Outcome, Side};
use rules::{BoardId, Game, Ply, Team};

use crate::desk::DeskAct;
use crate::habit::{Habit, Rates};
use crate::reader::Reading;
use crate::story::TableStory;

/// Start of a day, µs of Unix time.
pub(crate) const MORNING_US: u64 = 1_780_000_000_000_000;
const SECOND_US: u64 = 1_000_000;
/// From one round to the next.
const ROUND_US: u64 = 1_500 * SECOND_US;
/// From the morning to the first round.
const FIRST_US: u64 = 700 * SECOND_US;
/// Interval at which the directors look at their list.
const LOOK_EVERY_US: u64 = 30 * SECOND_US;
/// Tables of one hub.
const TABLES_OF_HUB: usize = 10;
/// A table at which nobody plays: two pairings change their tables over it.
const SPARE_TABLE: &str = "spare";
/// Every third table plays chess.
const CHESS_EVERY: usize = 3;

/// Size of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Tables.
    pub tables: usize,
    /// Rounds.
    pub rounds: u8,
}

impl Default for Size {
    fn default() -> Size {
        Size { tables: 40, rounds: 5 }
    }
}

/// Sensors of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equipment {
    /// Boards that read occupied squares, and clocks with displays.
    Displays,
    /// The same boards, and levers on the hub's pins.
    Levers,
    /// Boards of makers that know their pieces, and clocks with displays.
    Makers,
    /// Boards without clocks.
    Clockless,
}

/// One day.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Seed of the day.
    pub seed: u64,
    /// Reader of the plies.
    pub reading: Reading,
    pub(crate) tables: Vec<TablePlan>,
    /// Actions of directors, by time.
    pub(crate) desk: Vec<(u64, DeskAct)>,
    /// Result of each pairing that is played.
    pub(crate) outcomes: Vec<(PairingId, Outcome)>,
    /// End of the last round.
    pub(crate) until_us: u64,
}

/// One table of a day.
#[derive(Clone, Debug)]
pub(crate) struct TablePlan {
    pub(crate) name: String,
    pub(crate) hub: String,
    pub(crate) equipment: Equipment,
    pub(crate) game: Game,
    pub(crate) has_stuck_square: bool,
    pub(crate) readings: Vec<SensorReading>,
    pub(crate) games: Vec<Played>,
    pub(crate) unfollowed: Vec<UnfollowedPlay>,
    /// Actions of people beside playing, with their times.
    pub(crate) habits: Vec<(u64, Habit)>,
}

impl TablePlan {
    /// The table and people's actions there before a moment, for the reader of a fault.
    pub(crate) fn around(&self, at_us: u64) -> String {
        let before = self.habits.iter().filter(|(since_us, _)| *since_us <= at_us + 60_000_000);
        let near = before.filter(|(since_us, _)| since_us + ROUND_US > at_us);
        let near: Vec<String> = near
            .map(|(since_us, habit)| format!("{habit:?} {} s", (since_us - MORNING_US) / SECOND_US))
            .collect();
        format!(
            "table {} ({:?}, {:?}) at {} s [{}]",
            self.name,
            self.equipment,
            self.game,
            at_us.saturating_sub(MORNING_US) / SECOND_US,
            near.join(", ")
        )
    }
}

/// Play that no match can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnfollowedPlay {
    /// Time of its cause, such as a board that was turned: from here on a notice is right.
    pub(crate) cause_us: u64,
    /// Earliest time at which it can be known.
    pub(crate) known_us: u64,
    pub(crate) until_us: u64,
    pub(crate) notice: Notice,
}

/// Item of the directors' list for such play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// *Play is not followed*.
    NotFollowed,
    /// *A board or clock needs looking at*: the plies are read, and none of them is certain. It stays until that is put right.
    Doubtful,
}

/// A game as played.
#[derive(Clone, Debug)]
pub(crate) struct Played {
    pub(crate) kind: Sitting,
    pub(crate) from_us: u64,
    pub(crate) to_us: u64,
    /// Time of each ply, and the square where it is read.
    pub(crate) plies: Vec<(u64, BoardId, Ply)>,
    /// Whether it can be followed.
    pub(crate) is_followed: bool,
}

/// Purpose of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sitting {
    /// A pairing.
    Round(PairingId),
    /// No purpose: a false start, or a game for fun.
    Fun,
    /// Looking at what was just played: it may be in the same match.
    Analysis,
}

/// Time at which rounds are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paired {
    InAdvance,
    BeforeSetUp,
    AfterSetUp,
}

/// One pairing while it is planned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub(crate) pairing: PairingId,
    pub(crate) start_us: u64,
    /// Its children sit at another table: the result is reported on paper.
    pub(crate) is_elsewhere: bool,
    /// Its box came from another table.
    pub(crate) was_carried: bool,
}

impl Plan {
    /// The day of a seed with plies by the light reader.
    #[must_use]
    pub fn new(seed: u64, size: Size) -> Plan {
        Plan::drawn(seed, size, Reading::Light, false)
    }

    /// The day of a seed. `with_held_out`: also with habits that development never sees.
    #[must_use]
    pub fn drawn(seed: u64, size: Size, reading: Reading, with_held_out: bool) -> Plan {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let rates = Rates { with_held_out };
        let slips = ChaCha8Rng::seed_from_u64(!seed);
        Planner { rng, slips, rates, size, next_pairing: 0, desk: Vec::new(), outcomes: Vec::new() }
            .plan(seed, reading)
    }
}

struct Planner {
    rng: ChaCha8Rng,
    /// Draws what directors do beside the plan of the tables.
    slips: ChaCha8Rng,
    rates: Rates,
    size: Size,
    next_pairing: u32,
    desk: Vec<(u64, DeskAct)>,
    outcomes: Vec<(PairingId, Outcome)>,
}

/// A pairing of a round: its section's tables are counted through the hall.
#[derive(Clone, Debug)]
struct Pair {
    id: PairingId,
    table: usize,
    sides: [u32; 2],
}

impl Planner {
    fn plan(mut self, seed: u64, reading: Reading) -> Plan {
        let mut stories: Vec<TableStory> = (0..self.size.tables).map(|at| self.table(at)).collect();
        let until_us = MORNING_US + FIRST_US + ROUND_US * u64::from(self.size.rounds);
        self.enter_everybody();
        let paired = match self.rng.random_range(0..3) {
            0 => Paired::InAdvance,
            1 => Paired::BeforeSetUp,
            _ => Paired::AfterSetUp,
        };
        for round in 1..=self.size.rounds {
            let start_us = MORNING_US + FIRST_US + ROUND_US * u64::from(round - 1);
            let paired_us = match paired {
                Paired::InAdvance => MORNING_US + 10 * SECOND_US + u64::from(round),
                Paired::BeforeSetUp => start_us - 400 * SECOND_US,
                Paired::AfterSetUp => start_us - 30 * SECOND_US,
            };
            self.round(round, start_us, paired_us, &mut stories);
        }
        let looks = (until_us - MORNING_US) / LOOK_EVERY_US;
        let look = |n| (MORNING_US + n * LOOK_EVERY_US, DeskAct::Look);
        self.desk.extend((1..=looks).map(look));
        self.desk.sort_by_key(|(at, _)| *at);
        Plan {
            seed,
            reading,
            tables: stories.into_iter().map(TableStory::finish).collect(),
            desk: self.desk,
            outcomes: self.outcomes,
            until_us,
        }
    }

    fn table(&mut self, at: usize) -> TableStory {
        // One table in ten each.
        let equipment = match at % 10 {
            3 => Equipment::Levers,
            5 => Equipment::Makers,
            7 => Equipment::Clockless,
            _ => Equipment::Displays,
        };
        let game = if is_chess(at) { Game::Chess } else { Game::Bughouse };
        let rng = ChaCha8Rng::seed_from_u64(self.rng.random());
        let name = (at + 1).to_string();
        let hub = format!("hub-{}", at / TABLES_OF_HUB + 1);
        TableStory::new(name, hub, equipment, game, rng, self.rates)
    }

    /// The lists of sections, people and tables.
    fn enter_everybody(&mut self) {
        let tables = (1..=self.size.tables).map(|table| table.to_string());
        let tables = tables.chain([SPARE_TABLE.to_owned()]).collect();
        let mut deeds = vec![Deed::TablesListed { tables }];
        for game in [Game::Chess, Game::Bughouse] {
            let (kind, book) = match game {
                Game::Chess => (SectionKind::Players, BookId::UsChessBlitz2020),
                Game::Bughouse => (SectionKind::Teams, BookId::UsChessBughouse2018),
            };
            let terms = SectionTerms::usual(kind, book, self.size.rounds);
            deeds.push(Deed::SectionOpened { section: section(game), terms });
            let tables = (0..self.size.tables).filter(|&at| is_chess(at) == (game == Game::Chess));
            for number in 1..=tables.count() as u32 * 2 {
                deeds.extend(entrant(game, number));
            }
        }
        self.desk.push((MORNING_US + SECOND_US, DeskAct::Deeds(deeds)));
    }

    fn round(&mut self, round: u8, start_us: u64, paired_us: u64, stories: &mut [TableStory]) {
        for game in [Game::Chess, Game::Bughouse] {
            let mut tables: Vec<usize> = (0..self.size.tables).collect();
            tables.retain(|&at| is_chess(at) == (game == Game::Chess));
            if tables.is_empty() {
                continue;
            }
            let mut numbers: Vec<u32> = (1..=tables.len() as u32 * 2).collect();
            numbers.shuffle(&mut self.rng);
            let mut pairs: Vec<Pair> = Vec::new();
            for (&table, two) in tables.iter().zip(numbers.chunks(2)) {
                pairs.push(Pair { id: self.next_id(), table, sides: [two[0], two[1]] });
            }
            let mut deeds = vec![Deed::RoundOpened { section: section(game), round }];
            deeds.extend(pairs.iter().map(|pair| made(pair, game, round)));
            self.desk.push((paired_us, DeskAct::Deeds(deeds)));
            let changed_us = start_us - 10 * SECOND_US;
            self.change(&mut pairs, game, round, changed_us);
            self.play(&pairs, start_us, stories);
        }
    }

    fn next_id(&mut self) -> PairingId {
        self.next_pairing += 1;
        PairingId(self.next_pairing)
    }

    fn happens(&mut self, habit: Habit) -> bool {
        self.rates.happens(habit, &mut self.rng)
    }

    /// Directors change what was paired, two tables at a time.
    fn change(&mut self, pairs: &mut [Pair], game: Game, round: u8, at_us: u64) {
        for two in pairs.chunks_mut(2) {
            let [one, other] = two else { continue };
            if self.happens(Habit::PairsAgain) {
                let note = "one of them plays with another club".to_owned();
                let withdrawn = |pairing| Deed::PairingWithdrawn { pairing, note: note.clone() };
                let mut deeds = vec![withdrawn(one.id), withdrawn(other.id)];
                std::mem::swap(&mut one.sides[1], &mut other.sides[1]);
                (one.id, other.id) = (self.next_id(), self.next_id());
                deeds.extend([&*one, &*other].map(|pair| made(pair, game, round)));
                self.desk.push((at_us, DeskAct::Deeds(deeds)));
            } else if self.happens(Habit::MovesMatch) {
                std::mem::swap(&mut one.table, &mut other.table);
                let is_direct = self.slips.random();
                if is_direct {
                    let deed = Deed::TablesExchanged { pairings: [one.id, other.id] };
                    self.desk.push((at_us, DeskAct::Deeds(vec![deed])));
                    continue;
                }
                let changed = |pair: &Pair| Deed::PairingChanged {
                    pairing: pair.id,
                    table: (pair.table + 1).to_string(),
                    board: None,
                    sides: pair.sides.map(|number| vec![EntrantNumber(number)]),
                };
                let aside = Deed::PairingChanged {
                    pairing: one.id,
                    table: SPARE_TABLE.to_owned(),
                    board: None,
                    sides: one.sides.map(|number| vec![EntrantNumber(number)]),
                };
                let deeds = vec![aside, changed(other), changed(one)];
                self.desk.push((at_us, DeskAct::Deeds(deeds)));
            }
        }
    }

    fn play(&mut self, pairs: &[Pair], start_us: u64, stories: &mut [TableStory]) {
        for two in pairs.chunks(2) {
            let is_elsewhere = two.len() == 2 && self.happens(Habit::SitsElsewhere);
            let was_carried = two.len() == 2 && self.happens(Habit::CarriesBox);
            let is_exchanged = is_elsewhere
                && !was_carried
                && self.rates.happens(Habit::ExchangesInPlay, &mut self.slips);
            if let ([one, other], true) = (two, is_exchanged) {
                let wait_us = self.slips.random_range(2..10) * SECOND_US;
                let deed = Deed::TablesExchanged { pairings: [one.id, other.id] };
                self.desk.push((start_us + wait_us, DeskAct::Deeds(vec![deed])));
            }
            self.enter_wrongly(two, start_us);
            for (at, pair) in two.iter().enumerate() {
                let is_elsewhere = is_elsewhere ^ was_carried;
                let table = if is_elsewhere { two[1 - at].table } else { pair.table };
                let is_elsewhere = is_elsewhere && !is_exchanged;
                let planned = Planned { pairing: pair.id, start_us, is_elsewhere, was_carried };
                let (outcome, acts) = stories[table].round(planned);
                self.desk.extend(acts.into_iter().map(|(at, act)| (at, act.at(table))));
                self.outcomes.push((pair.id, outcome));
            }
        }
    }

    /// A slip is entered at the pairing beside its own while that is played or waited for, and taken back.
    fn enter_wrongly(&mut self, two: &[Pair], start_us: u64) {
        let happens = self.rates.happens(Habit::WrongSlip, &mut self.slips);
        let Some(pair) = two.last().filter(|_| happens) else { return };
        let at_us = start_us + self.slips.random_range(0..180) * SECOND_US;
        let back_us = at_us + self.slips.random_range(10..120) * SECOND_US;
        let (pairing, outcome) = (pair.id, Outcome::Win(Side::First));
        self.desk.push((at_us, DeskAct::WrongSlip { pairing, outcome }));
        self.desk.push((back_us, DeskAct::SlipBack { pairing }));
    }
}

/// Every third table.
fn is_chess(at: usize) -> bool {
    at % CHESS_EVERY == 1
}

fn section(game: Game) -> String {
    match game {
        Game::Chess => "Chess".to_owned(),
        Game::Bughouse => "Bughouse".to_owned(),
    }
}

fn made(pair: &Pair, game: Game, round: u8) -> Deed {
    Deed::PairingMade {
        pairing: pair.id,
        section: section(game),
        round,
        table: (pair.table + 1).to_string(),
        board: None,
        sides: pair.sides.map(|number| vec![EntrantNumber(number)]),
    }
}

/// Acts that enter an entrant with a number: a team of two, or a player.
fn entrant(game: Game, number: u32) -> Vec<Deed> {
    let player = |id: u32| Deed::PlayerEntered {
        player: PlayerId(id),
        name: PersonName::from(format!("Child {id}").as_str()),
        club: None,
    };
    let added = |entry| Deed::EntrantAdded {
        section: section(game),
        number: EntrantNumber(number),
        entry,
        from_round: 1,
    };
    match game {
        Game::Chess => {
            let id = 10_000 + number;
            vec![player(id), added(Entry::Player(PlayerId(id)))]
        }
        Game::Bughouse => {
            let members = [number * 2, number * 2 + 1].map(PlayerId);
            let name = format!("Team {number} of the day");
            vec![
                player(members[0].0),
                player(members[1].0),
                Deed::TeamMade { team: TeamId(number), name, members },
                added(Entry::Team(TeamId(number))),
            ]
        }
    }
}

/// The outcome of a pairing whose first side is team 1, or team 2 if they sit the other way round.
pub(crate) fn outcome(winner: Option<Team>, is_reversed: bool) -> Outcome {
    match winner {
        None => Outcome::Draw,
        Some(team) if (team == Team::One) != is_reversed => Outcome::Win(Side::First),
        Some(_) => Outcome::Win(Side::Second),
    }
}
