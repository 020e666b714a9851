//! North Carolina's scholastic tournament rules, with the federation's clock rules, which the source prints beside them. The clock
//! rules are cited as `clocks` with the number or, where the source has none, a word: `clocks 14H1`, `clocks levels 1`,
//! `clocks substitute`.

use super::{ClaimKind, Clause, Entry, Finding, Offence, Setting, Topic};

pub(super) const CLAUSES: &[Clause] = &[
    Clause::new(
        "1",
        &[Topic::CallingTd, Topic::Dispute, Topic::Appeal],
        "TDs are on the floor to help, but do not step into games: claims are up to the players. To call one, a \
         player pauses the clock and raises a hand. Against a ruling a player asks for another TD and appeals at \
         once.",
    )
    .enters(&[Entry::Ruling, Entry::Appeal])
    .sets(&[Setting::SilentAlerts]),
    Clause::new(
        "2",
        &[
            Topic::TimeControl,
            Topic::Delay,
            Topic::BringClock,
            Topic::FlagClaim,
            Topic::BothFlags,
        ],
        "Analog clocks are set so that time ends at six o'clock. A clock with delay is set to five minutes less, \
         with five seconds of delay or Bronstein from the first move on. Black chooses the clock, but digital comes before analog and a set \
         delay before everything. Without Black's clock White's is used, and without any a TD may provide one. A player who claims it before the \
         own flag falls, and before being mated, wins when \
         the opponent's time is over. Both flags draw if a player says so before mate or stalemate. Neither \
         spectators nor TDs call flags.",
    )
    .detects(&[
        Finding::ClockSetWrong,
        Finding::FlagFallen,
        Finding::BothFlags,
    ])
    .assists(&[ClaimKind::FlagFall, ClaimKind::BothFlags, ClaimKind::Mate, ClaimKind::Stalemate])
    .sets(&[Setting::TimeControl]),
    Clause::new(
        "3",
        &[Topic::Reporting],
        "After the game both players raise their hands and leave the board as it is until a TD has verified the \
         result. Both see to it that the result is marked.",
    )
    .enters(&[Entry::Result]),
    Clause::new(
        "4",
        &[Topic::TouchMove],
        "On move, an own piece that was touched on purpose is moved and an opposing one is taken, if that is legal. \
         A player who wants to adjust a piece announces it first, and only on move. Off move no piece is touched.",
    )
    .detects(&[Finding::TouchMove])
    .assists(&[ClaimKind::TouchMove]),
    Clause::new(
        "5",
        &[Topic::IllegalPly, Topic::IllegalClaimLapses, Topic::IllegalClaim],
        "If one of either player's last ten moves was illegal, the position before it is put back, and play goes on \
         from it with the touched piece. The clocks stay as they are, and the opponent of who made it gets two \
         minutes. Only players call an illegal move.",
    )
    .detects(&[Finding::IllegalMove, Finding::KingCaptured, Finding::StoppedWithOpenClaim])
    .assists(&[ClaimKind::IllegalPly])
    .sets(&[Setting::SilentAlerts]),
    Clause::new(
        "6",
        &[Topic::AnnouncingCheck],
        "Check need not be announced. Noticing it is up to the opponent.",
    ),
    Clause::new(
        "7",
        &[Topic::Notation],
        "Players in sections K-5 and up keep score. A player who does not keep score cannot claim draws that need a score sheet. With \
         less than five minutes on either clock both may stop.",
    ),
    Clause::new(
        "8",
        &[Topic::RecordingDevice],
        "A device for keeping score may be used on these terms.",
    ),
    Clause::new("8 I", &[], "It is of an approved make and registered in the tournament room."),
    Clause::new("8 II", &[], "It is set to record, and a TD has checked it."),
    Clause::new(
        "8 III",
        &[],
        "The opponent, a parent or a coach is shown each round how it is used.",
    ),
    Clause::new("8 IV", &[], "It stays on the table during the whole game."),
    Clause::new("8 V", &[], "The move is made on the board before it is recorded."),
    Clause::new("8 VI", &[], "Hands stay off it while nothing is recorded."),
    Clause::new(
        "8 VII",
        &[],
        "If the opponent asks to correct the score, it is set to algebraic notation and turned round.",
    ),
    Clause::new("8 VIII", &[], "A player who leaves the room may ask a TD to keep the device."),
    Clause::new(
        "9",
        &[Topic::TdCalls],
        "Only a player may claim on time; no one else points a flag out. Both flags draw.",
    )
    .detects(&[Finding::BothFlags])
    .assists(&[ClaimKind::FlagFall, ClaimKind::BothFlags])
    .sets(&[Setting::SilentAlerts]),
    Clause::new(
        "10",
        &[Topic::Sections],
        "Sections with too few players may be combined; trophies go by the sections that players entered for.",
    ),
    Clause::new(
        "11",
        &[Topic::LateArrival],
        "A player who is more than thirty minutes late loses and is not paired again without the chief TD. The clock of White starts when the \
         round is announced to have begun, and Black's not before White has moved. Time that passed \
         without a clock, or with both players late, is split between them.",
    )
    .detects(&[Finding::LateArrival])
    .keeps(&[Offence::LateArrival]),
    Clause::new(
        "12",
        &[Topic::Agreement, Topic::Repetition, Topic::FiftyMoves],
        "A draw is offered after the move and before the press; the offer is open until it is declined, by word or by a move. An agreed draw \
         holds whatever stood on the board. \
         A draw by a position that occurred three times, or by fifty moves, needs a mostly complete and correct score sheet. A wrong claim \
         gives the opponent two minutes.",
    )
    .detects(&[Finding::Repetition, Finding::FiftyMoves])
    .assists(&[ClaimKind::Repetition, ClaimKind::FiftyMoves])
    .keeps(&[Offence::WrongDrawClaim])
    .enters(&[Entry::Result]),
    Clause::new(
        "13",
        &[Topic::Pairings],
        "A program pairs players of equal scores, avoids a third game in a row with one colour and, but for the \
         last round, players of one school. Errors are reported at once.",
    ),
    Clause::new(
        "14",
        &[Topic::Conduct],
        "Players are quiet, speak to no one without a TD, and call a TD at once if something is wrong. They use no help, eat nothing in the hall \
         and do not leave it without a TD. A result that was signed stays.",
    )
    .keeps(&[Offence::Conduct]),
    Clause::new(
        "15",
        &[Topic::Byes],
        "Half a point is given for a bye asked for with the entry, but not in the last round. A bye without a point is given in any round.",
    ),
    Clause::new(
        "16",
        &[Topic::PlayingArea],
        "Only players with games going on and officials are in the hall; others leave when the games begin.",
    ),
    Clause::new(
        "17",
        &[Topic::Spectators],
        "No one interferes with a game; it can cost expulsion. Only the player concerned points something out, to a \
         TD.",
    )
    .keeps(&[Offence::Interference])
    .sets(&[Setting::SilentAlerts]),
    Clause::new(
        "18",
        &[Topic::SchoolTeams],
        "The best four scores of a team count. A team has two players or more in a section, all of one school that \
         they mainly attend, with these exceptions.",
    ),
    Clause::new("18 1", &[], "Pupils schooled at home may play for their local public school."),
    Clause::new("18 1a", &[], "They may join others schooled at home nearby."),
    Clause::new("18 1b", &[], "All of those live within the bounds of the local public school."),
    Clause::new("18 2", &[], "Pupils of a feeder school may play for the school it leads to."),
    Clause::new(
        "19",
        &[Topic::TieBreaks],
        "Ties of players are broken by Modified Median, Solkoff, Cumulative and Cumulative of Opposition, ties of \
         teams by game or match points and the US Amateur Team system, and then by a coin.",
    )
    .sets(&[Setting::TieBreaks]),
    Clause::new(
        "20",
        &[Topic::Everything],
        "Where these rules leave something open, the federation's official rules of chess, fifth edition, decide.",
    )
    .detects(&[Finding::Mate, Finding::Stalemate, Finding::DeadPosition]),
    Clause::new(
        "clocks",
        &[Topic::ClockRules],
        "The federation's rules about clocks.",
    ),
    Clause::new(
        "clocks types",
        &[Topic::ClockKind],
        "Digital clocks show minutes and seconds, and zero when the time is over. Analog clocks have a flag that \
         falls.",
    ),
    Clause::new(
        "clocks controls",
        &[Topic::Periods],
        "A time control gives time for some moves or, in sudden death, for all. Several can follow each other; time \
         that is left is kept.",
    )
    .sets(&[Setting::TimeControl]),
    Clause::new(
        "clocks 14H1",
        &[Topic::LosingChances],
        "In sudden death a player who has at most two minutes left may stop the clock and claim a draw by insufficient losing chances. They mean \
         that a middling player would hardly lose the position to a master, both with ample time.",
    )
    .assists(&[ClaimKind::LosingChances])
    .keeps(&[Offence::WrongLosingChances])
    .sets(&[Setting::LosingChances]),
    Clause::new("clocks 14H1 1", &[], "A clearly correct claim draws.").enters(&[Entry::Ruling]),
    Clause::new("clocks 14H1 2", &[], "A clearly wrong claim costs the claimant a minute.")
        .keeps(&[Offence::WrongLosingChances])
        .enters(&[Entry::Ruling]),
    Clause::new(
        "clocks 14H1 3",
        &[],
        "If it is unclear, the TD puts a delay clock on the board with half of the claimant's time, or watches. A TD who watches declares the \
         draw when the opponent makes no progress, even after the claimant's flag fell.",
    )
    .enters(&[Entry::Ruling]),
    Clause::new("clocks 14H1 4", &[], "Or the TD tells the claimant to claim again later.")
        .enters(&[Entry::Ruling]),
    Clause::new(
        "clocks delay",
        &[Topic::DelayKind],
        "Delay gives some seconds for each move before time runs, or gives them back after it (Bronstein); it does \
         not add up. With a delay no player can claim insufficient losing chances.",
    )
    .sets(&[Setting::TimeControl, Setting::LosingChances]),
    Clause::new(
        "clocks levels",
        &[Topic::ClockPreference],
        "The more preferred clock is used, and among equals Black's. A player who came late cannot have a clock \
         changed that will do.",
    ),
    Clause::new("clocks levels 1", &[], "Clocks with delay come first."),
    Clause::new("clocks levels 2", &[], "Analog clocks come second."),
    Clause::new("clocks levels 3", &[], "Digital clocks without delay come last."),
    Clause::new(
        "clocks default",
        &[],
        "In sudden death the delay is five seconds, from the first move of the game on, even if other time controls \
         come first.",
    )
    .sets(&[Setting::TimeControl]),
    Clause::new(
        "clocks announcements",
        &[Topic::Announcement],
        "Events may change the clock rules if they announce it in advance publicity and before the first round.",
    )
    .sets(&[Setting::TimeControl]),
    Clause::new(
        "clocks 5Fa",
        &[Topic::ShorterBase],
        "A TD may shorten the time by a minute for each second of delay. It should be announced.",
    )
    .sets(&[Setting::TimeControl]),
    Clause::new(
        "clocks substitute",
        &[Topic::SubstituteClock],
        "This is for a delay clock that a TD puts on the board after a claim of insufficient losing chances. The claimant gets half of the own \
         time left, at most one minute. The opponent keeps everything, and the delay is five seconds.",
    )
    .enters(&[Entry::Ruling]),
    Clause::new(
        "clocks periods",
        &[],
        "Without sudden death clocks with delay and analog clocks are equal, and Black chooses.",
    ),
    Clause::new(
        "clocks switching",
        &[],
        "No player can have the clock changed during a game, but a TD may change it after a claim of insufficient losing chances.",
    ),
    Clause::new(
        "clocks material",
        &[Topic::MaterialDraw, Topic::MatingMaterial],
        "If a flag falls and the opponent has no material to mate, the game is drawn.",
    )
    .assists(&[ClaimKind::Material]),
    Clause::new(
        "clocks counters",
        &[],
        "Clocks that count moves are allowed; their count alone proves nothing about a time control.",
    ),
    Clause::new(
        "clocks withdrawal",
        &[],
        "A claim of insufficient losing chances is an offer of a draw that stands until the TD has decided; after \
         an invitation to claim again it does not.",
    ),
];
