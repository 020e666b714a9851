//! US Chess Scholastic Bughouse Rules, January 2018: the default for scholastic bughouse.

use super::{
    ClaimWindow, FlagClaimRule, IllegalMoveRule, Ladder, MoveCompletion, PassingRule, Penalty,
    Rule,
    RuleClass::{self, Assisted as A, Configured as C, Detected as D, Human as H, Ledger as L},
    Rulebook, Sourced, TimeControl, WaitingRule,
};

/// US Chess Scholastic Bughouse Rules, January 2018.
pub const US_CHESS_BUGHOUSE_2018: Rulebook = Rulebook {
    id: "us-chess-bughouse-2018",
    title: "US Chess Scholastic Bughouse Rules, January 2018",
    rules: RULES,
    time_control: Sourced { value: TimeControl { base_s: 300, delay_s: 0 }, rule: "4" },
    completion: Sourced { value: MoveCompletion::OpponentClockStarted, rule: "6" },
    illegal_move: IllegalMoveRule {
        loses: Sourced { value: true, rule: "8" },
        window: Sourced { value: ClaimWindow::UntilOpponentCompletesMove, rule: "8a" },
        stands_unclaimed: Sourced { value: true, rule: "8c" },
    },
    setup_claim: Sourced { value: ClaimWindow::UntilEachSideHasMoved, rule: "8b" },
    long_clock_reducible: Sourced { value: true, rule: "8b" },
    swapped_castling: Sourced { value: true, rule: "8c" },
    passing: Sourced { value: PassingRule::AfterCompletion, rule: "9" },
    waiting: Sourced { value: WaitingRule::WhileTimeRemains, rule: "15a" },
    flag_claim: FlagClaimRule {
        rule: "15c",
        own_flag_up: true,
        clock_stopped: true,
        survives_own_illegal_move: true,
        simultaneous_illegal_move_loses: true,
    },
    king_capture_wins: Sourced { value: true, rule: "15d" },
    both_flags_draw: Sourced { value: true, rule: "16b" },
    td_calls: Sourced { value: false, rule: "20" },
    insufficient_losing_chances: Sourced { value: false, rule: "23" },
    ladders: LADDERS,
    anomaly_rules: ANOMALY_RULES,
};

/// One minute, the book's usual penalty, in seconds.
const MINUTE_S: u32 = 60;

const LADDERS: &[Ladder] = &[
    Ladder { offence: "hidden-piece", rule: "11", steps: &[Penalty::Warning, Penalty::LosesGame] },
    Ladder { offence: "moving a partner's piece", rule: "12", steps: &[Penalty::LosesGameOrMatch] },
    Ladder {
        offence: "clock-hand",
        rule: "13",
        steps: &[Penalty::Warning, Penalty::Time { penalty_s: MINUTE_S }, Penalty::LosesGame],
    },
    Ladder {
        offence: "clock-knocked-over",
        rule: "14a",
        steps: &[Penalty::TimeToOpponent { opponent_s: MINUTE_S }],
    },
    Ladder {
        offence: "press-after-displacing",
        rule: "17",
        steps: &[
            Penalty::WarningOrTime { opponent_s: MINUTE_S },
            Penalty::TimeToOpponent { opponent_s: MINUTE_S },
            Penalty::LosesGame,
        ],
    },
    Ladder { offence: "banging", rule: "22", steps: &[Penalty::TimeByChoice] },
];

const ANOMALY_RULES: &[(&str, &str)] = &[
    ("illegal-move", "8"),
    ("out-of-turn", "8"),
    ("early-press", "6"),
    ("missed-press", "6"),
    ("clock-set-wrong", "8b"),
    ("setup-wrong", "8b"),
    ("early-pass", "9"),
    ("hidden-piece", "11"),
    ("clock-hand", "13"),
    ("clock-knocked-over", "14a"),
    ("double-press", "14b"),
    ("clock-hover", "14c"),
    ("flag-fallen", "15c"),
    ("both-flags", "16b"),
    ("displaced-pieces", "17"),
    ("press-without-move", "17"),
    ("press-after-displacing", "17"),
    ("clock-drift", "21"),
    ("clock-jump", "21"),
];

const fn rule(
    number: &'static str,
    heading: &'static str,
    text: &'static str,
    classes: &'static [RuleClass],
    system: &'static str,
) -> Rule {
    Rule { number, heading, text, classes, system, implemented: true }
}

/// A rule whose part of the system is still to come.
const fn planned(
    number: &'static str,
    heading: &'static str,
    text: &'static str,
    classes: &'static [RuleClass],
    system: &'static str,
) -> Rule {
    Rule { number, heading, text, classes, system, implemented: false }
}

const RULES: &[Rule] = &[
    planned(
        "1",
        "Teams",
        "Two players make a team. Nobody may stand in for either of them.",
        &[C],
        "Every match has four seats, fixed at import. Changing a name once the event has started is \
         refused, with the reason.",
    ),
    rule(
        "2",
        "Match",
        "Two games at once, each player against one of the other team, make a match.",
        &[C],
        "A match is two boards side by side; a pairing that is not two against two is refused.",
    ),
    planned(
        "3",
        "Colours",
        "The team settles which partner has White and which has Black.",
        &[C],
        "Partners hold opposite colours; a pairing that breaks this is refused.",
    ),
    planned(
        "4",
        "Time control",
        "Five minutes a side for the whole game, without delay.",
        &[C, D],
        "The clocks' readings before the first press are compared with the time control.",
    ),
    planned(
        "5",
        "Bring a clock",
        "Players bring their own clocks. A game for which there is none is lost by both.",
        &[L],
        "Forfeits, single and double, can be entered as results.",
    ),
    rule(
        "6",
        "Completion of a move",
        "The clock makes the move: it is complete only when the opponent's time has begun to run.",
        &[D],
        "A ply counts as complete at the press that starts the opponent's clock, and claim windows open \
         and close there.",
    ),
    rule(
        "7",
        "End of the match",
        "The first game that is won decides the match for the winner's team.",
        &[D],
        "The other board is told to stop. Plies made there afterwards are kept, marked as after the end.",
    ),
    rule(
        "8",
        "Illegal moves",
        "A player who completes an illegal move loses if the opponent claims it in the proper way.",
        &[D, A],
        "Each completed illegal ply opens a claim window for the opponent. The alert goes to the TD alone, \
         marked that players must claim.",
    ),
    rule(
        "8a",
        "When the claim lapses",
        "Whoever answers an illegal move with a completed move of their own can no longer claim it.",
        &[D, A],
        "The claim window closes when the opponent of the offender completes a move; from then on the \
         position stands and play is followed from it.",
    ),
    planned(
        "8b",
        "Inspecting set-up and clocks",
        "Players check the pieces and the clock before they begin. Once both sides have completed a move, \
         neither can be claimed any more, except that a TD may shorten a clock set above five minutes.",
        &[D],
        "Claims about set-up and clocks stay open until each side has completed a move. A clock that shows \
         more than five minutes is reported even later.",
    ),
    rule(
        "8c",
        "Errors nobody noticed",
        "An illegal move that both players missed can be neither put right nor claimed later. A king and \
         queen set up on each other's squares stay there once both sides have moved; that side castles \
         short towards the queen's side and long towards the king's side.",
        &[D],
        "Plies are followed from the position as it is. Swapped kings and queens are inferred from how the \
         pieces move when the sensors cannot see them, and castling follows.",
    ),
    planned(
        "9",
        "Passing pieces",
        "A captured piece goes to the partner when the capturing move is complete, and not before.",
        &[D],
        "A drop of a piece that can only come from a capture not yet completed is reported; with reserve \
         trays, so is a piece that arrives there too early.",
    ),
    rule(
        "10",
        "Moves and drops",
        "On each turn a player either moves a piece on the board or drops one received from the partner.",
        &[D],
        "Both are followed and checked against the position and the reserve.",
    ),
    rule(
        "10a",
        "Where pieces may be dropped",
        "Any empty square will do, but pawns may not be dropped on the first or the last rank.",
        &[D],
        "A drop on an occupied square, or of a pawn on those ranks, is an illegal ply.",
    ),
    rule(
        "10b",
        "Drops with check and mate",
        "A drop may give check, and it may mate.",
        &[D],
        "Checks and mates by drops count like any others.",
    ),
    rule(
        "10c",
        "Promotion",
        "The pawn stays on the board, laid on its side, and the player announces what it has become. When it \
         is captured, it is a pawn again.",
        &[D],
        "A promoted pawn on its side may be invisible to the sensors, and is expected to be. What it became \
         is inferred from how it moves. Captured, it enters the partner's reserve as a pawn.",
    ),
    planned(
        "11",
        "Hiding pieces",
        "Captured pieces stay in sight. Hiding any brings a warning, and the second time loses the game.",
        &[D, L],
        "With reserve trays, a captured piece that has not arrived there for some time is reported. The \
         TD enters offences; the count and the penalty due are kept.",
    ),
    planned(
        "12",
        "Talking and touching",
        "Partners may talk and suggest moves at any time. Moving a piece on the partner's board is forbidden \
         and can cost the game or the match.",
        &[L],
        "Entered by the TD, who chooses between game and match.",
    ),
    planned(
        "13",
        "Clock hand",
        "The hand that moved the piece presses the clock, and captures are made with one hand; both hands \
         may be used to castle only. A warning first, then one minute, then the game.",
        &[D, L],
        "The time from release to press is weighed against the distance from square to clock, as a hint and \
         not a proof. The TD enters offences; the count and the penalty due are kept.",
    ),
    planned(
        "14",
        "Touching the clock",
        "Apart from pressing it after a move and straightening it, players leave the clock alone.",
        &[D],
        "See its parts.",
    ),
    planned(
        "14a",
        "Knocking the clock over",
        "One minute is added for the opponent of whoever knocks the clock over.",
        &[D],
        "Reported from the tilt sensor, or from a reading that cannot be.",
    ),
    planned(
        "14b",
        "Clock that did not start",
        "If a press did not start the opponent's time, the player may set both sides right; if that does not \
         help, a TD is called.",
        &[D],
        "A second press in that case is recorded and is no offence.",
    ),
    planned(
        "14c",
        "Keeping the clock free",
        "Everybody must be able to press after moving. No hand rests on the clock or waits above it.",
        &[D, L],
        "Reported where the clock node has a proximity sensor; otherwise entered by the TD.",
    ),
    rule(
        "15",
        "Winning",
        "A game is won in one of four ways.",
        &[D, A],
        "See its parts. The first win on either board ends the match.",
    ),
    rule(
        "15a",
        "Mate, and waiting for a piece",
        "Mate wins. A player on move may let time run while waiting for the partner to supply a piece, as \
         long as there is time.",
        &[D],
        "A check that a supplied piece could block is shown as such and is no mate while time remains. Mate \
         is a check that neither a move nor any supplied piece can answer.",
    ),
    planned(
        "15b",
        "Resignation",
        "A player whose opponent resigns wins.",
        &[L],
        "Entered by the TD or with the result.",
    ),
    rule(
        "15c",
        "Win on time",
        "Whoever points out that the opponent's flag has fallen and stops the clock with the own flag still \
         up wins, unless the game was over already. An own illegal move does not prevent it if the time \
         claim comes first; if both claims come together, the illegal move loses.",
        &[D, A],
        "Fallen flags are reported to the TD in silence. For a claim, both clocks' readings, the moment of \
         the stop and the order of the claims are shown.",
    ),
    rule(
        "15d",
        "Claiming an illegal move",
        "After an illegal move the opponent wins by taking the king, or by stopping the clock and saying so.",
        &[D, A],
        "A king that is taken, or a clock stopped in an open claim window, is shown with the illegal ply and \
         its evidence.",
    ),
    rule("16", "Draws", "A game is drawn in one of two ways.", &[D, A, L], "See its parts."),
    planned(
        "16a",
        "Agreement",
        "Both teams may agree on a draw while the match is being played.",
        &[L],
        "Entered by the TD or with the result.",
    ),
    rule(
        "16b",
        "Both flags down",
        "With both flags fallen and nothing claimed the game is drawn, unless someone mates before the flags \
         are noticed: a mate that is announced comes before any later claim on time.",
        &[D, A],
        "Both flags are followed independently; the moment of mate and of each flag are shown.",
    ),
    planned(
        "17",
        "Displaced pieces",
        "Who displaces pieces puts them back on the own time; the opponent may start that player's clock \
         without moving. Knocking pieces over and pressing is an offence: a warning first (or a minute for \
         the opponent whose flag fell by it), then a minute, then the game, then what the TD sees fit.",
        &[D, L],
        "A disturbance of several squares is reported, and a press without a move by the opponent is then \
         proper. The TD enters offences; the count and the penalty due are kept.",
    ),
    planned(
        "18",
        "Disputes and appeals",
        "Either player may stop the clock and call a TD, who hears both players and unbiased witnesses. \
         Appeals go to the section chief and then to the floor chief, whose word is final.",
        &[L],
        "Clock stops are recorded. Rulings, testimony and appeals are entered and never overwritten.",
    ),
    rule(
        "19",
        "TDs and clocks",
        "A TD does not pick up a clock unless there is a dispute.",
        &[H],
        "For reference.",
    ),
    rule(
        "20",
        "Spectators, and what TDs do not call",
        "Nobody outside a game may speak about it or interfere; if someone does, the TD may have it played \
         again and send the person out. Pointing out flags and illegal moves is up to the players, not to \
         TDs.",
        &[C, L],
        "Alerts about illegal moves and flags are silent: they reach TDs only, and nothing public before the \
         claim window has closed. Interference and replayed games are entered by the TD.",
    ),
    planned(
        "21",
        "Defective clocks",
        "Only a TD can declare a clock defective and allow another one.",
        &[L, H],
        "Giving a board another clock node needs a TD, and is recorded.",
    ),
    planned(
        "22",
        "Banging",
        "Banging pieces or the clock too hard can cost time.",
        &[D, L],
        "Reported where the clock node measures shocks; otherwise entered by the TD, who chooses how much.",
    ),
    rule(
        "23",
        "Insufficient losing chances",
        "No claim of insufficient losing chances can be made in bughouse.",
        &[C],
        "That claim is not offered.",
    ),
    rule(
        "24",
        "Everything else",
        "What these rules leave open is settled by the federation's current rules of chess and their \
         published changes.",
        &[H],
        "For reference.",
    ),
];
