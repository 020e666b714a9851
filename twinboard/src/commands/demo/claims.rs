//! Claims of simulated players, so that a director's phone has decisions from the first minutes on.
//!
//! A wronged player mostly claims, and children also make wrong claims. Claims follow from the truth of the hall and from the seed. A claim is made as in a hall: a director called to the table opens it for the player.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use readings::TruthLine;
use rules::{Color, Ply, Seat};
use serde_json::{Value, json};
use sim::real_time::HallMatch;

/// Share of offences that a player claims.
const CLAIMED: f64 = 0.8;
/// Delay of a claim, milliseconds of hall time: a look, a word, a hand at the clock.
const AFTER_MS: (u64, u64) = (1_500, 4_000);
/// The claim that every book has.
const ILLEGAL_PLY: &str = "illegal-ply";
/// Kind of a claim on time.
const FLAG_FALL: &str = "flag-fall";
/// A flag is claimed so long before the end of its match, microseconds of hall time: both clocks have been stopped by then.
const FLAG_BEFORE_END_US: u64 = 200_000;
/// Maximum number of claims of one match.
const PER_MATCH: usize = 3;
/// Time in which a match that is played comes to its table at the adjudicator, microseconds of hall time.
const MATCH_COMES_US: f64 = 30_000_000.0;
/// Time after the first match's begin by which a claim, right or wrong, is made at its table, microseconds of hall time.
const FIRST_CLAIM_US: u64 = 60_000_000;

/// Share of offences that players claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Claiming {
    /// Most, and a few times in a match at the most, as children do.
    Mostly,
    /// Every offence, and before they move themselves: a rehearsal without open ends.
    Every,
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// Time, hall time.
    at_us: u64,
    /// The table, by the name that the hub has for it.
    table: String,
    /// Kind, as the adjudicator names it.
    kind: &'static str,
    by: Seat,
    /// The true ply of a claim about one, which everybody at the table sees.
    played: Option<Ply>,
}

impl Claim {
    /// The ply that is claimed to be illegal, if the evidence shows one of the opponent's.
    fn against(&self, alerts: &Value) -> Option<u64> {
        let opponent = self.by.color.other().to_string();
        let board = self.by.board.to_string();
        let alerts = alerts.as_array().map(Vec::as_slice).unwrap_or_default();
        let illegal = alerts.iter().rfind(|alert| {
            alert["code"] == "illegal-move"
                && alert["side"] == opponent.as_str()
                && alert["board"] == board.as_str()
        });
        illegal.filter(|_| self.kind == ILLEGAL_PLY)?["ply"].as_u64()
    }
}

fn has(list: &Value, is_wanted: impl Fn(&Value) -> bool) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(is_wanted))
}

/// Outcome of a claim.
enum Opened {
    Yes,
    /// The match's book has no claims of its kind.
    NotInBook,
    /// No match is followed at the table.
    NoMatch,
}

/// The claims of a hall that are still to come.
pub(super) struct Claims {
    server: SocketAddr,
    token: String,
    /// Speed of the hall, in multiples of real time.
    speed: f64,
    waiting: VecDeque<Claim>,
}

impl Claims {
    /// All that will be claimed.
    pub(super) fn of(
        matches: &[HallMatch],
        (claiming, seed, speed): (Claiming, u64, f64),
        server: SocketAddr,
        token: String,
    ) -> Claims {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut waiting: Vec<Claim> =
            matches.iter().flat_map(|one| of_match(one, claiming, &mut rng)).collect();
        if let Some(first) = matches.iter().min_by_key(|one| (one.begin_us, one.table)) {
            let until_us = first.begin_us + FIRST_CLAIM_US;
            let is_early = |claim: &Claim| claim.at_us <= until_us && claim.kind == ILLEGAL_PLY;
            if !waiting.iter().any(is_early) {
                waiting.extend(mistaken(first, until_us));
            }
        }
        waiting.sort_by_key(|claim| claim.at_us);
        Claims { server, token, speed, waiting: waiting.into() }
    }

    /// Opens what is due; a line for each.
    pub(super) async fn open_due(&mut self, now_us: u64) -> Vec<String> {
        let mut lines = Vec::new();
        let asked = Instant::now();
        while let Some(claim) = self.waiting.pop_front_if(|claim| claim.at_us <= now_us) {
            let Claim { table, by, kind, .. } = &claim;
            let who = format!("table {table}: {} on board {}", by.color, by.board);
            // A claim counts from when it was made, also where the way to the server took long.
            let late_us = now_us.saturating_sub(claim.at_us) as f64;
            let late = Duration::from_micros((late_us / self.speed) as u64);
            match self.open(&claim, || late + asked.elapsed()).await {
                Ok(Opened::Yes) => {
                    let stands =
                        claim.played.map(|ply| format!("; {ply} was played")).unwrap_or_default();
                    lines.push(format!(
                        "{who} claims ({kind}); it waits on the director's page{stands}"
                    ));
                }
                Ok(Opened::NotInBook) => {}
                // The hub has yet to open the match: the claim is repeated for a while.
                Ok(Opened::NoMatch) if late_us < MATCH_COMES_US => {
                    self.waiting.push_front(claim);
                    break;
                }
                Ok(Opened::NoMatch) => {
                    lines.push(format!(
                        "{who} would claim ({kind}), and no match is followed there"
                    ));
                }
                // No answer: the claim is repeated.
                Err(error) if is_unanswered(&error) => {
                    self.waiting.push_front(claim);
                    break;
                }
                Err(error) => lines.push(format!("{who} wanted to claim ({kind}): {error:#}")),
            }
        }
        lines
    }

    /// Opens a claim that was made so long ago.
    async fn open(&self, claim: &Claim, waited: impl Fn() -> Duration) -> Result<Opened> {
        let client = reqwest::Client::new();
        let url = |path: &str| format!("http://{}{path}", self.server);
        // A director sees the table as it is now; the public may see it later.
        let path = format!("/api/v1/td/tables/{}", claim.table);
        let asked = client.get(url(&path)).bearer_auth(&self.token).send().await?;
        if asked.status() == reqwest::StatusCode::NOT_FOUND {
            return Ok(Opened::NoMatch);
        }
        let shown: Value = asked.error_for_status()?.json().await?;
        let id = shown["shown"]["table"]["match"].as_str().context("the match has no id")?;
        if !has(&shown["kinds"], |known| known["kind"] == claim.kind) {
            return Ok(Opened::NotInBook);
        }
        let against = claim.against(&shown["alerts"]);
        let seat = format!("{}-{}", claim.by.color, claim.by.board).to_lowercase();
        let decided =
            json!({ "what": "claim", "claim": claim.kind, "by": seat, "against": against });
        let deed =
            json!({ "of": "match", "match": id, "seen": shown["version"], "decided": decided });
        let act = client.post(url("/api/v1/td/acts")).bearer_auth(&self.token);
        // With a key it is done once, also where the answer is lost.
        let key = format!("claim {} {}", claim.table, claim.at_us);
        let waited_ms = u64::try_from(waited().as_millis()).unwrap_or(u64::MAX);
        let sent = json!({ "key": key, "waited_ms": waited_ms, "deed": deed });
        let answer = act.json(&sent).send().await?;
        if answer.status().is_success() {
            return Ok(Opened::Yes);
        }
        let said: Value = answer.json().await.unwrap_or_default();
        bail!("{}", said["reason"].as_str().or(said["error"].as_str()).unwrap_or("no reason"))
    }
}

fn is_unanswered(error: &anyhow::Error) -> bool {
    error.downcast_ref::<reqwest::Error>().is_some_and(|error| error.status().is_none())
}

/// Right claims of a match's players.
fn of_match(one: &HallMatch, claiming: Claiming, rng: &mut ChaCha8Rng) -> Vec<Claim> {
    let (share, most) = match claiming {
        Claiming::Mostly => (CLAIMED, PER_MATCH),
        Claiming::Every => (1.0, usize::MAX),
    };
    let claims =
        one.truth.iter().filter_map(wrong).filter_map(|(t_us, kind, wrongdoer, played)| {
            let by = wrongdoer.opponent();
            let after_us = 1_000 * rng.random_range(AFTER_MS.0..=AFTER_MS.1);
            // In most books the claim lapses with the answer. The adjudicator's match time lags behind the hall: it comes from the last
            // message. A claim just after the wrong would count as before it.
            let after_us = match claiming {
                Claiming::Mostly => after_us,
                Claiming::Every => after_us.min(until_answer_us(&one.truth, t_us, by) / 4 * 3),
            };
            // A player who sees a flag stops the clocks before claiming.
            let at_us = match kind {
                FLAG_FALL => one.end_us.saturating_sub(FLAG_BEFORE_END_US),
                _ => one.begin_us + t_us + after_us,
            };
            let is_claimed = rng.random_bool(share) && at_us < one.end_us;
            is_claimed.then(|| Claim { at_us, table: one.table.to_string(), kind, by, played })
        });
    claims.take(most).collect()
}

/// Time from `t_us` to a player's next complete ply, microseconds.
fn until_answer_us(truth: &[TruthLine], t_us: u64, by: Seat) -> u64 {
    let plies = truth.iter().filter_map(|line| match line {
        TruthLine::Ply(ply) if ply.board == by.board && ply.side == by.color => Some(ply.t_us),
        TruthLine::Ply(_) | TruthLine::Anomaly(_) => None,
    });
    plies.filter(|&at| at > t_us).min().map_or(u64::MAX, |at| at - t_us)
}

/// Time of an offence, kind of its claim, the offender, and the ply if it was one.
fn wrong(line: &TruthLine) -> Option<(u64, &'static str, Seat, Option<Ply>)> {
    match line {
        TruthLine::Ply(ply) if !ply.legal => {
            let seat = Seat { board: ply.board, color: ply.side };
            Some((ply.t_us, ILLEGAL_PLY, seat, Some(ply.uci)))
        }
        TruthLine::Ply(_) => None,
        TruthLine::Anomaly(found) => {
            let kind = match found.code.as_str() {
                "press-after-displacing" => "displaced",
                "touch-move" => "touch-move",
                "flag-fallen" => FLAG_FALL,
                // Both sides of the board stand wrongly: Black, who looks for White to begin, says it.
                "setup-wrong" if found.side == Some(Color::White) => "set-up",
                _ => return None,
            };
            let seat = Seat { board: found.board, color: found.side? };
            Some((found.t_us, kind, seat, None))
        }
    }
}

/// A wrong claim against the last ply before a moment.
fn mistaken(one: &HallMatch, until_us: u64) -> Option<Claim> {
    let mut plies = one.truth.iter().rev().filter_map(|line| match line {
        TruthLine::Ply(ply) => Some(ply),
        TruthLine::Anomaly(_) => None,
    });
    let last = plies.find(|ply| one.begin_us + ply.t_us + 1_000 * AFTER_MS.0 <= until_us)?;
    let by = Seat { board: last.board, color: last.side.other() };
    let at_us = one.begin_us + last.t_us + 1_000 * AFTER_MS.0;
    let played = Some(last.uci);
    Some(Claim { at_us, table: one.table.to_string(), kind: ILLEGAL_PLY, by, played })
}

#[cfg(test)]
mod tests {
    use readings::{BoardHeader, SensorKind, TraceHeader, TruthAnomaly, TruthPly};
    use rules::BoardId;

    use super::*;

    fn ply(t_us: u64, side: Color, legal: bool) -> TruthLine {
        let uci = "e2e4".parse().expect("a ply");
        TruthLine::Ply(TruthPly { n: 1, board: BoardId::A, side, uci, t_us, legal })
    }

    fn played(truth: Vec<TruthLine>) -> HallMatch {
        let boards = [(BoardId::A, BoardHeader::new(SensorKind::Reed))].into();
        HallMatch {
            table: 1,
            match_id: "m".to_owned(),
            begin_us: 5_000_000,
            end_us: 300_000_000,
            header: TraceHeader::new("us-chess-bughouse-2018", 300, boards),
            truth,
        }
    }

    fn claiming(
        claiming: Claiming,
        truth: Vec<TruthLine>,
        seed: u64,
        server: SocketAddr,
    ) -> Vec<Claim> {
        let matches = [played(truth)];
        Claims::of(&matches, (claiming, seed, 1.0), server, String::new()).waiting.into()
    }

    fn claims(truth: Vec<TruthLine>, seed: u64) -> Vec<Claim> {
        let server = "127.0.0.1:1".parse().expect("an address");
        claiming(Claiming::Mostly, truth, seed, server)
    }

    #[test]
    fn who_is_wronged_mostly_claims_soon_after() {
        // A wrong claim is about the last ply.
        let truth = vec![
            ply(9_000_000, Color::White, true),
            ply(20_000_000, Color::Black, false),
            ply(40_000_000, Color::White, true),
        ];
        let right: Vec<Claim> = (0..50)
            .flat_map(|seed| claims(truth.clone(), seed))
            .filter(|claim| (26_500_000..=29_000_000).contains(&claim.at_us))
            .collect();
        assert!((30..50).contains(&right.len()), "{}", right.len());
        let by = Seat { board: BoardId::A, color: Color::White };
        assert!(right.iter().all(|claim| claim.by == by && claim.kind == "illegal-ply"));
    }

    #[test]
    fn somebody_claims_within_a_minute_even_if_nobody_did_wrong() {
        let truth = vec![ply(9_000_000, Color::White, true), ply(90_000_000, Color::Black, true)];
        let claims = claims(truth, 1);
        let [claim] = claims.as_slice() else { panic!("{claims:?}") };
        assert_eq!((claim.at_us, claim.by.color), (15_500_000, Color::Black));
        assert_eq!(claim.table, "1");
    }

    #[test]
    fn flags_are_claimed_once_the_clocks_stand_and_a_wrong_set_up_at_once_and_once() {
        let found = |code: &str, t_us, side| {
            let (code, board, side) = (code.to_owned(), BoardId::A, Some(side));
            TruthLine::Anomaly(TruthAnomaly { code, t_us, board, side })
        };
        let truth = vec![
            found("setup-wrong", 0, Color::White),
            found("setup-wrong", 0, Color::Black),
            ply(9_000_000, Color::White, true),
            found("flag-fallen", 292_000_000, Color::Black),
        ];
        let server = "127.0.0.1:1".parse().expect("an address");
        let claims = claiming(Claiming::Every, truth, 3, server);
        let of = |kind: &str| -> Vec<&Claim> {
            claims.iter().filter(|claim| claim.kind == kind).collect()
        };
        let [set_up] = of("set-up")[..] else { panic!("{claims:?}") };
        assert!((6_500_000..=9_000_000).contains(&set_up.at_us));
        let [flag] = of("flag-fall")[..] else { panic!("{claims:?}") };
        assert_eq!((flag.at_us, flag.by.color), (299_800_000, Color::White));
    }

    #[test]
    fn in_a_rehearsal_who_is_wronged_claims_before_moving() {
        let truth = vec![
            ply(20_000_000, Color::Black, false),
            ply(21_000_000, Color::White, true),
            ply(90_000_000, Color::Black, true),
        ];
        let server = "127.0.0.1:1".parse().expect("an address");
        for seed in 0..50 {
            let claims = claiming(Claiming::Every, truth.clone(), seed, server);
            let claim = claims.first().expect("a claim");
            assert_eq!(claim.at_us, 25_750_000, "a quarter of a second before the answer");
        }
    }

    #[test]
    fn a_match_has_no_more_claims_than_anybody_bears() {
        let wrong = |t_us: u64| {
            let side = Some(Color::White);
            let code = "touch-move".to_owned();
            TruthLine::Anomaly(TruthAnomaly { code, t_us, board: BoardId::B, side })
        };
        let truth = (1..20).map(|nth| wrong(nth * 5_000_000)).collect();
        assert_eq!(claims(truth, 3).len(), PER_MATCH);
        let truth = (1..20).map(|nth| wrong(nth * 5_000_000)).collect();
        let server = "127.0.0.1:1".parse().expect("an address");
        let every = claiming(Claiming::Every, truth, 3, server);
        // And the one that is claimed wrongly, within a minute.
        assert_eq!(every.iter().filter(|claim| claim.kind == "touch-move").count(), 19);
    }
}
