//! What a stream at a front lacks: changes after a position, and plies of a match.

use std::sync::Arc;

use super::super::message::AnswerHead;
use crate::{
    front::{
        audience::Audience,
        fan_out::{Batches, TableForm, event, news},
        rendered::Subject,
        written::Form,
    },
    views::{PliesView, cursor::Cursor},
};

/// An answer with its bytes.
pub(super) type AnswerParts = (AnswerHead, Vec<u8>);

fn head(status: u16, number: u64, to: String) -> AnswerHead {
    AnswerHead { status, headers: Vec::new(), number, to, more: false }
}

/// An answer without bytes.
pub(super) fn refusal(status: u16) -> AnswerParts {
    (head(status, 0, String::new()), Vec::new())
}

/// The events of all that changed after a position, up to the newest batch, the last with its id. A position of another log, or of other delays,
/// begins again.
pub(super) async fn after(audience: &Audience, seen: &str) -> AnswerParts {
    let Ok(mut seen) = seen.parse::<Cursor>() else { return refusal(400) };
    let mut batches = audience.fan_out().watch(TableForm::Whole);
    loop {
        let now: Arc<Batches> = batches.borrow_and_update().clone();
        if seen.is_start() {
            seen = now.sight.start();
        }
        let (number, to) = (now.newest.number, &now.newest.to);
        if now.sight.knows(&seen) {
            let rendered = &audience.fan_out().rendered;
            let written = news(&now.sight, &seen)
                .into_iter()
                .filter_map(|news| news.written(&now.sight, rendered))
                .map(|event| event.of(Form::Plain));
            let mut text = written.collect::<Vec<_>>().join(&b'\n');
            if !text.is_empty() {
                text.extend_from_slice(format!("id: {to}\n\n").as_bytes());
            }
            return (head(200, number, to.to_string()), text);
        }
        if !audience.look().knows(&seen) {
            let reset = format!("event: reset\ndata: {{}}\nid: {to}\n\n");
            return (head(200, number, to.to_string()), reset.into_bytes());
        }
        // The client is ahead of the newest batch: the next one is about to come.
        if batches.changed().await.is_err() {
            return refusal(503);
        }
    }
}

/// The plies of a match that changed after a position.
pub(super) fn plies(audience: &Audience, match_id: &str, seen: &str) -> AnswerParts {
    let Ok(mut seen) = seen.parse::<Cursor>() else { return refusal(400) };
    let number = audience.fan_out().watch(TableForm::Whole).borrow().newest.number;
    let sight = audience.look();
    let Some(shown) = sight.game(match_id) else { return refusal(404) };
    if seen.is_start() || seen.epoch != sight.cursor().epoch {
        seen = sight.start();
    }
    let game = shown.game;
    let changed = game.changes().last().and_then(|(partition, last)| {
        let from = game.changes().since(seen.seen(partition))?;
        Some((partition, last, from))
    });
    let Some((partition, last, from)) = changed else {
        return (head(200, number, seen.to_string()), Vec::new());
    };
    seen.note(partition, last);
    let write = || {
        let mut text = event("plies", &PliesView::of(game, from));
        text.push(b'\n');
        text
    };
    let subject = Subject::Plies(game.id.clone(), from);
    let rendered = &audience.fan_out().rendered;
    let text = rendered.event(subject, (partition, last), write).of(Form::Plain);
    (head(200, number, seen.to_string()), text.to_vec())
}
