//! One line of a `match` block.

use referee::{
    PlyId, ResultReason, act,
    act::{Decision, Role},
};
use rules::{
    BoardId, Color, Ply, Seat, Team,
    rulebook::{ClaimKind, Offence, Penalty},
};

/// Event of a story. The table of `stories/README.md` describes each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    Chess,
    HalfSensed,
    Start {
        board: BoardId,
        fen: String,
    },
    Time {
        base_ms: u32,
        delay_ms: u32,
    },
    AgreedTdCalls,
    AnnouncedLosingChances,
    Show(Vec<String>),
    Ply(Played),
    Press(Seat),
    Revise {
        id: PlyId,
        ply: Option<Ply>,
    },
    Clock {
        board: BoardId,
        white_ms: i64,
        black_ms: i64,
        stopped: bool,
    },
    Delay {
        board: BoardId,
        delay_s: u32,
    },
    Stop,
    Go,
    End,
    Next,
    Wait {
        us: u64,
    },
    Seen {
        code: String,
        board: BoardId,
        side: Option<Color>,
        confidence: f64,
    },
    Claim {
        kind: ClaimKind,
        by: Seat,
        against: Option<PlyId>,
        stopped_us: Option<u64>,
        witnessed: bool,
    },
    Rule {
        decision: Decision,
        remedy: Option<act::Remedy>,
        penalty: Option<Penalty>,
    },
    Appeal(Role),
    Decide(Decision),
    Penalise {
        whom: Seat,
        offence: Offence,
        penalty: Option<Penalty>,
        earlier: u32,
    },
    Result {
        winner: Option<Team>,
        reason: ResultReason,
        by: Role,
    },
    Confirm(Role),
    Correct {
        ply: PlyId,
        said: Ply,
    },
    Reinstate(PlyId),
    SetTdCalls(bool),
    Withdraw,
}

/// A ply of a story.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Played {
    pub(crate) seat: Seat,
    pub(crate) ply: Ply,
    /// Whether the clock was pressed after it.
    pub(crate) pressed: bool,
    pub(crate) p: f64,
    pub(crate) other: Option<(Ply, f64)>,
    /// Whether the tracker takes it to be legal, whatever the referee makes of it.
    pub(crate) legal: bool,
}

impl Event {
    /// Reads a line; none for an empty one or a comment.
    pub(crate) fn read(line: &str) -> Result<Option<Event>, String> {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            return Ok(None);
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let read = if words[0].contains(':') { read_ply(&words) } else { read_other(&words) };
        read.map(Some).map_err(|why| format!("{line:?}: {why}; stories/README.md lists the events"))
    }
}

fn read_other(words: &[&str]) -> Result<Event, String> {
    Ok(match words {
        ["game", "chess"] => Event::Chess,
        ["half-sensed"] => Event::HalfSensed,
        ["start", at, fen @ ..] => Event::Start { board: board(at)?, fen: fen.join(" ") },
        ["time", base] => Event::Time { base_ms: clock_ms(base)? as u32, delay_ms: 0 },
        ["time", base, "delay", delay] => Event::Time {
            base_ms: clock_ms(base)? as u32,
            delay_ms: (number(delay)? * 1000.0) as u32,
        },
        ["agreed", "td-calls"] => Event::AgreedTdCalls,
        ["announced", "losing-chances"] => Event::AnnouncedLosingChances,
        ["show", what @ ..] => Event::Show(what.iter().map(|word| (*word).to_owned()).collect()),
        [who, "press"] => Event::Press(seat(who)?),
        ["ply", id, "is", ply] => Event::Revise { id: parse(id)?, ply: Some(uci(ply)?) },
        ["ply", id, "never", "was"] => Event::Revise { id: parse(id)?, ply: None },
        ["clock", at, white, black, rest @ ..] => Event::Clock {
            board: board(at)?,
            white_ms: clock_ms(white)?,
            black_ms: clock_ms(black)?,
            stopped: match rest {
                [] => false,
                ["stopped"] => true,
                _ => return Err("only `stopped` may follow the times".to_owned()),
            },
        },
        ["delay", at, seconds] => Event::Delay { board: board(at)?, delay_s: parse(seconds)? },
        ["stop"] => Event::Stop,
        ["go"] => Event::Go,
        ["end"] => Event::End,
        ["next"] => Event::Next,
        ["wait", seconds] => Event::Wait { us: micros(seconds)? },
        ["seen", code, rest @ ..] => read_seen(code, rest)?,
        ["claim", who, kind, rest @ ..] => read_claim(who, kind, rest)?,
        ["rule", rest @ ..] => read_rule(rest)?,
        ["appeal", to] => Event::Appeal(role(to)?),
        ["decide", how] => Event::Decide(decision(how)?),
        ["penalise", who, offence, rest @ ..] => read_penalty(who, offence, rest)?,
        ["result", rest @ ..] => read_result(rest)?,
        ["confirm"] => Event::Confirm(Role::Director),
        ["confirm", "by", who] => Event::Confirm(role(who)?),
        ["correct", id, ply] => Event::Correct { ply: parse(id)?, said: uci(ply)? },
        ["reinstate", id] => Event::Reinstate(parse(id)?),
        ["set", "td-calls", choice] => Event::SetTdCalls(match *choice {
            "on" => true,
            "off" => false,
            _ => return Err("td-calls is `on` or `off`".to_owned()),
        }),
        ["withdraw"] => Event::Withdraw,
        _ => return Err("this is no event".to_owned()),
    })
}

fn read_ply(words: &[&str]) -> Result<Event, String> {
    let (who, ply) = words[0].split_once(':').ok_or("a ply is written A:e2e4")?;
    let mut played = Played {
        seat: seat(who)?,
        ply: uci(ply)?,
        pressed: true,
        p: 0.99,
        other: None,
        legal: false,
    };
    let mut rest = &words[1..];
    loop {
        rest = match rest {
            [] => return Ok(Event::Ply(played)),
            ["released", rest @ ..] => {
                played.pressed = false;
                rest
            }
            ["legal", rest @ ..] => {
                played.legal = true;
                rest
            }
            ["else", other, p, rest @ ..] => {
                played.other = Some((uci(other)?, number(p)?));
                rest
            }
            [word, rest @ ..] => {
                let p = word
                    .strip_prefix("p=")
                    .ok_or_else(|| format!("{word:?} says nothing of a ply"))?;
                played.p = number(p)?;
                rest
            }
        };
    }
}

fn read_seen(code: &str, rest: &[&str]) -> Result<Event, String> {
    let (board, side, rest) = match rest {
        ["board", at, rest @ ..] => (board(at)?, None, rest),
        [who, rest @ ..] => {
            let seat = seat(who)?;
            (seat.board, Some(seat.color), rest)
        }
        [] => return Err("say whose it is, or `board A`".to_owned()),
    };
    let confidence = match rest {
        [] => 1.0,
        [confidence] => number(confidence)?,
        _ => return Err("only a confidence may follow".to_owned()),
    };
    Ok(Event::Seen { code: code.to_owned(), board, side, confidence })
}

fn read_claim(who: &str, kind: &str, mut rest: &[&str]) -> Result<Event, String> {
    let kind = ClaimKind::from_code(kind).ok_or_else(|| format!("{kind:?} is no kind of claim"))?;
    let by = seat(who)?;
    let (mut against, mut stopped_us, mut witnessed) = (None, None, false);
    loop {
        rest = match rest {
            [] => return Ok(Event::Claim { kind, by, against, stopped_us, witnessed }),
            ["against", id, rest @ ..] => {
                against = Some(parse(id)?);
                rest
            }
            ["stopped", seconds, rest @ ..] => {
                stopped_us = Some(micros(seconds)?);
                rest
            }
            ["witnessed", rest @ ..] => {
                witnessed = true;
                rest
            }
            [word, ..] => return Err(format!("{word:?} says nothing of a claim")),
        };
    }
}

fn read_rule(words: &[&str]) -> Result<Event, String> {
    let [how, rest @ ..] = words else { return Err("say how the director rules".to_owned()) };
    let (remedy, penalty) = match rest {
        [] => (None, None),
        ["nothing"] => (Some(act::Remedy::Nothing), None),
        ["draw"] => (Some(act::Remedy::Draw), None),
        ["warning"] => (None, Some(Penalty::Warning)),
        _ => return Err("a remedy is `nothing`, `draw` or `warning`".to_owned()),
    };
    Ok(Event::Rule { decision: decision(how)?, remedy, penalty })
}

fn read_penalty(who: &str, offence: &str, rest: &[&str]) -> Result<Event, String> {
    let known = Offence::from_code(offence).ok_or_else(|| format!("{offence:?} is no offence"))?;
    let (penalty, rest) = match rest {
        ["warning", rest @ ..] => (Some(Penalty::Warning), rest),
        ["loss", rest @ ..] => (Some(Penalty::LosesGame), rest),
        rest => (None, rest),
    };
    let earlier = match rest {
        [] => 0,
        ["earlier", count] => parse(count)?,
        _ => return Err("a penalty is `warning` or `loss`, then `earlier 1`".to_owned()),
    };
    Ok(Event::Penalise { whom: seat(who)?, offence: known, penalty, earlier })
}

fn read_result(words: &[&str]) -> Result<Event, String> {
    let [who, why, rest @ ..] = words else { return Err("say who won and why".to_owned()) };
    let winner = match *who {
        "team-1" => Some(Team::One),
        "team-2" => Some(Team::Two),
        "draw" => None,
        _ => return Err("a result is `team-1`, `team-2` or `draw`".to_owned()),
    };
    let reason = ResultReason::ALL.into_iter().find(|reason| reason.name() == *why);
    let reason = reason.ok_or_else(|| format!("{why:?} is no reason of a result"))?;
    let by = match rest {
        [] => Role::Director,
        ["by", who] => role(who)?,
        _ => return Err("only `by team-1` may follow".to_owned()),
    };
    Ok(Event::Result { winner, reason, by })
}

fn seat(text: &str) -> Result<Seat, String> {
    let seat = Seat::ALL.into_iter().find(|&seat| text == referee::seat_letter(seat).to_string());
    seat.ok_or_else(|| format!("{text:?} is no seat: A, a, B or b"))
}

fn board(text: &str) -> Result<BoardId, String> {
    text.parse().map_err(|error: rules::ParseBoardIdError| error.to_string())
}

fn uci(text: &str) -> Result<Ply, String> {
    text.parse().map_err(|error: rules::ParsePlyError| error.to_string())
}

fn role(text: &str) -> Result<Role, String> {
    let roles =
        [Role::TeamOne, Role::TeamTwo, Role::Director, Role::SectionChief, Role::FloorChief];
    let role = roles.into_iter().find(|role| role.to_string() == text);
    role.ok_or_else(|| {
        format!("{text:?} is nobody: team-1, team-2, director, section-chief, floor-chief")
    })
}

fn decision(text: &str) -> Result<Decision, String> {
    Ok(match text {
        "upheld" => Decision::Upheld,
        "denied" => Decision::Denied,
        "play-on" => Decision::PlayOn,
        _ => return Err("a ruling is `upheld`, `denied` or `play-on`".to_owned()),
    })
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("{text:?} is no number"))
}

fn parse<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text:?} is no whole number"))
}

fn micros(text: &str) -> Result<u64, String> {
    Ok((number(text)? * 1_000_000.0).round() as u64)
}

/// `4:12` or `0:03.5`, in milliseconds; `1:30:00` with hours.
fn clock_ms(text: &str) -> Result<i64, String> {
    let mut seconds = 0.0;
    for part in text.split(':') {
        seconds = seconds * 60.0 + number(part)?;
    }
    Ok((seconds * 1000.0).round() as i64)
}
