//! Sound reports with a byte changed here and there: what is taken without a warning gives the points of the file's own
//! column.

mod support;

use event::{
    Names,
    import::{FileKind, Options, preview},
};
use rules::rulebook::BookId;
use support::{number, opened, options};

/// How many files are tried, and how many places are changed in each at most.
const FILES: u64 = 4_000;
const PLACES_MAX: u64 = 3;

/// What is put in the place of a byte.
const BYTES: &[u8] = b" 0123456789=+-wbWDLFHUZ.\t\nxA/";

fn line(rank: u32, name: &str, points: &str, rounds: &str) -> String {
    format!("001 {rank:>4}      {name:<66}{points:>4} {rank:>4}  {rounds}\n")
}

fn report() -> String {
    [
        "012 Open\nXXR 3\n".to_owned(),
        line(1, "Aster, Ida", "2.5", "   3 w 1     2 b =     4 w 1"),
        line(2, "Birch, Leo", "1.5", "   4 b 1     1 w =  0000 - Z"),
        line(3, "Cedar, Mia", "0.5", "   1 b 0  0000 - H     5 w -"),
        line(4, "Dogwood, Tom", "0.0", "   2 w 0     5 b -     1 b 0"),
        line(5, "Elder, Ann", "3.0", "0000 - U     4 w +     3 b +"),
    ]
    .concat()
}

/// A small generator of numbers (SplitMix64): the same files in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).expect("it is below a usize")
    }
}

fn mutated(seed: u64) -> Vec<u8> {
    let mut numbers = Numbers(seed);
    let mut bytes = report().into_bytes();
    for _ in 0..=seed % PLACES_MAX {
        let at = numbers.below(bytes.len());
        let byte = BYTES[numbers.below(BYTES.len())];
        match numbers.below(4) {
            0 => bytes.insert(at, byte),
            1 => drop(bytes.remove(at)),
            _ => bytes[at] = byte,
        }
    }
    bytes
}

/// The points columns of a file by starting rank, read without any help of the reader: half points.
fn own_points(bytes: &[u8]) -> Vec<(u32, u32)> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let lines = text.lines().filter(|line| line.starts_with("001"));
    let points = lines.filter_map(|line| {
        let rank = line.get(4..8)?.trim().parse().ok()?;
        let points: f64 = line.get(80..84)?.trim().parse().ok()?;
        Some((rank, (points * 2.0) as u32))
    });
    points.collect()
}

#[test]
fn what_is_taken_without_a_warning_gives_the_points_of_the_files_own_column() {
    let options = Options { rulebook: Some(BookId::NcScholastic), ..options() };
    let mut taken = 0;
    for seed in 0..FILES {
        let bytes = if seed == 0 { report().into_bytes() } else { mutated(seed) };
        let mut event = opened(0, &[]);
        let preview = preview(&event, FileKind::Trf, &bytes, &options);
        if !preview.problems.is_empty() {
            continue;
        }
        taken += 1;
        preview.apply(&mut event).expect("sound");
        let section = event.sections().keys().next().expect("a section").clone();
        let results = event.results(&section, Names::Hidden).expect("results");
        for (rank, stated) in own_points(&bytes) {
            let here = results.score(number(rank), results.rounds()).map(|it| it.half_points());
            let file = String::from_utf8_lossy(&bytes);
            assert_eq!(here, Some(stated), "seed {seed}, number {rank}:\n{file}");
        }
    }
    assert!(taken > FILES / 20, "{taken} files of {FILES} were taken: too few to say anything");
}
