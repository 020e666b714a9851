//! Sound tournament reports with bytes changed: what is accepted without a warning gives the points of the file's own
//! column.
//!
//! An input is a list of changes of three bytes: two for the place in the report, one that is put there. So every input
//! is near a sound report, where mistakes are that pass unseen.

#![no_main]

use event::{
    Author, Event, Names, Role,
    import::{FileKind, Options, preview},
};
use libfuzzer_sys::fuzz_target;
use rules::{rulebook::BookId, standings::EntrantNumber};

/// Three rounds of five players with every sort of round.
const REPORT: &str = "012 Open\nXXR 3\n\
001    1      Aster, Ida                                                        2.5    1     3 w 1     2 b =     4 w 1\n\
001    2      Birch, Leo                                                        1.5    2     4 b 1     1 w =  0000 - Z\n\
001    3      Cedar, Mia                                                        0.5    3     1 b 0  0000 - H     5 w -\n\
001    4      Dogwood, Tom                                                      0.0    4     2 w 0     5 b -     1 b 0\n\
001    5      Elder, Ann                                                        3.0    5  0000 - U     4 w +     3 b +\n";

/// The points column of each line by starting rank, in halves, read without any help of the reader.
fn own_points(text: &str) -> impl Iterator<Item = (u32, u32)> + '_ {
    text.lines().filter(|line| line.starts_with("001")).filter_map(|line| {
        let rank = line.get(4..8)?.trim().parse().ok()?;
        let points: f64 = line.get(80..84)?.trim().parse().ok()?;
        Some((rank, (points * 2.0) as u32))
    })
}

fuzz_target!(|changes: &[u8]| {
    let mut bytes = REPORT.as_bytes().to_vec();
    for change in changes.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len();
        bytes[at] = change[2];
    }
    let mut event = Event::default();
    let author = Author { name: "fuzz".to_owned(), role: Role::Director };
    let options = Options { rulebook: Some(BookId::NcScholastic), ..Options::new(author) };
    let preview = preview(&event, FileKind::Trf, &bytes, &options);
    if !preview.problems.is_empty() {
        return;
    }
    preview.apply(&mut event).expect("sound");
    let Some(section) = event.sections().keys().next().cloned() else { return };
    let results = event.results(&section, Names::Hidden).expect("a section");
    let opened = event.sections()[&section].opened;
    let text = String::from_utf8_lossy(&bytes);
    for (rank, stated) in own_points(&text) {
        let after = |round| results.score(EntrantNumber(rank), round).map(|it| it.half_points());
        let has = [after(results.rounds()), after(opened)];
        assert!(
            has.contains(&Some(stated)),
            "number {rank}: {stated} halves, not {has:?}:\n{text}"
        );
    }
});
