//! Writes of both ends: whole frames, or pieces of the pending bytes.

use proto::link::MAX_FRAME_BYTES;

use crate::line::Line;

/// Cuts of writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// A frame each.
    Frames,
    /// At most this many bytes, whatever they are.
    Bytes(usize),
}

/// Moves bytes from a session to a line, in writes as the plan wants them.
pub fn pump(
    line: &mut Line,
    now_us: u64,
    writes: Writes,
    mut transmit: impl FnMut(&mut [u8]) -> usize,
) {
    let mut buffer = [0; 4 * MAX_FRAME_BYTES];
    loop {
        let room = line.room(now_us).min(buffer.len());
        let room = match writes {
            Writes::Frames => room,
            Writes::Bytes(bytes) => room.min(bytes),
        };
        let length = transmit(&mut buffer[..room]);
        if length == 0 {
            return;
        }
        match writes {
            Writes::Frames => {
                for frame in frames(&buffer[..length]) {
                    line.send(now_us, frame);
                }
            }
            Writes::Bytes(_) => line.send(now_us, &buffer[..length]),
        }
    }
}

/// Cuts bytes between two zeros: there one frame ends and the next begins.
fn frames(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.windows(2).position(|pair| pair == [0, 0]).map_or(rest.len(), |at| at + 1);
        let (frame, after) = rest.split_at(end);
        rest = after;
        Some(frame)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_cut_between_frames() {
        let bytes = [0, 1, 2, 0, 0, 3, 0, 0, 4];
        let cut: Vec<&[u8]> = frames(&bytes).collect();
        assert_eq!(cut, [&[0, 1, 2, 0][..], &[0, 3, 0], &[0, 4]]);
    }
}
