//! Which plies may be to blame where the readings of a match are badly explained to the end.
//!
//! A ply that was read wrongly is seldom odd by itself: it is what players do, and the right one was not. What it leaves behind is odd,
//! some plies later: a piece moves as it cannot, or gives no check that everybody answers. By then the right story has long been given up,
//! and nothing that is known of the match leads back to it. But the odd ply says where to look: at itself, at
//! how the piece that made it came to stand there, at what stood on its target, and at what was played just before. Each of
//! these can be doubted in turn.

use rules::{BoardId, Color, Ply, Square};

use crate::trellis::{Backward, Choice, MadePly, Trellis};

/// A segment is odd if the logarithm of its probability is below this: less likely than what goes wrong in a hand or on a square once,
/// and is put right.
const ODD: f64 = -9.0;
/// What the oddest segments of a match go beyond that, added up, from which on it is worth the time to look for something better: most
/// matches that are followed rightly stay above it.
const WORTH_LOOKING: f64 = -40.0;
/// Odd segments whose plies and what led to them are suspected, at most: the oddest.
const MAX_ODD: usize = 6;
/// How many segments of the board before an odd one are suspected for being played just before.
const JUST_BEFORE: usize = 2;

/// A ply that may have been read wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suspect {
    /// Index of its layer.
    pub(crate) layer: usize,
    pub(crate) side: Color,
    pub(crate) ply: Ply,
}

/// What is believed to have been played in the match.
struct Believed<'a> {
    trellis: &'a Trellis,
    /// Of each layer the likeliest choice.
    choices: Vec<Option<&'a Choice>>,
}

/// The plies to be doubted in a trellis that begins with the match, the most suspicious first: `later` are the probabilities of its
/// choices, `logs` the logarithms of the probabilities of what was read in its layers.
pub(crate) fn suspects(trellis: &Trellis, later: &Backward, logs: &[f64]) -> Vec<Suspect> {
    let odd = odd_ones(logs);
    if odd.is_empty() {
        return Vec::new();
    }
    let believed = Believed::of(trellis, later);
    let mut suspects: Vec<Suspect> = Vec::new();
    for layer in odd {
        let news = believed.behind(layer).into_iter();
        let news: Vec<Suspect> = news.filter(|suspect| !suspects.contains(suspect)).collect();
        suspects.extend(news);
    }
    suspects
}

/// The oddest layers, the oddest first; none where little is odd.
fn odd_ones(logs: &[f64]) -> Vec<usize> {
    let mut odd: Vec<usize> = (0..logs.len()).filter(|&layer| logs[layer] < ODD).collect();
    odd.sort_by(|&a, &b| logs[a].total_cmp(&logs[b]));
    odd.truncate(MAX_ODD);
    let beyond: f64 = odd.iter().map(|&layer| logs[layer] - ODD).sum();
    if beyond > WORTH_LOOKING { Vec::new() } else { odd }
}

impl<'a> Believed<'a> {
    fn of(trellis: &'a Trellis, later: &'a Backward) -> Believed<'a> {
        let likeliest = |index: usize| {
            let (layer, masses) = (trellis.layer(index)?, later.choices(index)?);
            let best = (0..masses.len()).max_by(|&a, &b| masses[a].total_cmp(&masses[b]))?;
            layer.choices.get(best)
        };
        Believed { trellis, choices: (0..trellis.end()).map(likeliest).collect() }
    }

    fn plies(&self, layer: usize) -> &'a [MadePly] {
        self.choices.get(layer).copied().flatten().map_or(&[], |choice| &choice.plies)
    }

    /// The layers of a board before this one, the latest first.
    fn before(&self, layer: usize, board: BoardId) -> impl Iterator<Item = usize> + '_ {
        let of_board =
            move |&at: &usize| self.trellis.layer(at).is_some_and(|at| at.board == board);
        (0..layer).rev().filter(of_board)
    }

    /// What an odd layer may be due to.
    fn behind(&self, layer: usize) -> Vec<Suspect> {
        let Some(board) = self.trellis.layer(layer).map(|layer| layer.board) else {
            return Vec::new();
        };
        let suspect =
            |layer| move |made: &MadePly| Suspect { layer, side: made.side, ply: made.ply };
        let mut behind = Vec::new();
        for made in self.plies(layer) {
            behind.push(suspect(layer)(made));
            let places = made.ply.from().into_iter().chain([made.ply.to()]);
            behind.extend(places.filter_map(|square| self.last_to_arrive(layer, board, square)));
            for at in self.before(layer, board).take(JUST_BEFORE) {
                behind.extend(self.plies(at).iter().map(suspect(at)));
            }
        }
        behind
    }

    /// The last ply to this square of a board before a layer.
    fn last_to_arrive(&self, layer: usize, board: BoardId, square: Square) -> Option<Suspect> {
        self.before(layer, board).find_map(|at| {
            let made = self.plies(at).iter().rfind(|made| made.ply.to() == square)?;
            Some(Suspect { layer: at, side: made.side, ply: made.ply })
        })
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;
    use crate::trellis::{Edge, Layer, Pattern};

    const EVEN: f64 = -3.0;

    /// A trellis in which these plies were made, one a layer, of which nobody doubts any.
    fn made(plies: &[(BoardId, Color, &str)]) -> Trellis {
        let mut trellis = Trellis::new(vec![1.0]);
        for (&(board, side, ply), nth) in plies.iter().zip(1..) {
            let t_us = 1_000_000 * nth;
            let ply = ply.parse().expect("a ply");
            let made = MadePly { ply, side, illegal: None, captures: false, landed_us: t_us, t_us };
            trellis.push(Layer {
                board,
                presser: Some(side),
                t_us,
                choices: vec![Choice { plies: smallvec![made], pattern: Pattern::Regular }],
                edges: vec![Edge { from: 0, to: 0, choice: 0, weight: 1.0 }],
                forward: vec![1.0],
            });
        }
        trellis
    }

    #[test]
    fn an_odd_ply_makes_itself_and_what_led_to_it_suspect_on_its_board() {
        let (a, b, white, black) = (BoardId::A, BoardId::B, Color::White, Color::Black);
        let plies = [
            (a, white, "P@e6"),
            (b, white, "N@e6"),
            (a, black, "B@d7"),
            (a, white, "a2a3"),
            (b, black, "B@d7"),
            (a, black, "a7a6"),
            (a, white, "e6d7"),
            (a, black, "h7h6"),
        ];
        let trellis = made(&plies);
        let mut logs = vec![EVEN; plies.len()];
        let of = |logs: &[f64]| -> Vec<(usize, String)> {
            let suspects = suspects(&trellis, &trellis.backward(0), logs).into_iter();
            suspects.map(|suspect| (suspect.layer, suspect.ply.to_string())).collect()
        };
        assert_eq!(of(&logs), []);
        logs[6] = ODD + WORTH_LOOKING;
        let expected = [(6, "e6d7"), (0, "P@e6"), (2, "B@d7"), (5, "a7a6"), (3, "a2a3")];
        assert_eq!(of(&logs), expected.map(|(layer, ply)| (layer, ply.to_owned())));
    }

    #[test]
    fn a_match_is_looked_at_again_only_where_the_oddest_segments_together_are_odd_enough() {
        let odd = |count: usize| {
            let each = ODD + WORTH_LOOKING / 4.0;
            [vec![each; count], vec![EVEN; 9], vec![ODD + 1e-3; 9]].concat()
        };
        assert_eq!(odd_ones(&odd(3)), [0usize; 0]);
        assert_eq!(odd_ones(&odd(4)), [0, 1, 2, 3]);
        assert_eq!(odd_ones(&odd(2 * MAX_ODD)).len(), MAX_ODD);
    }
}
