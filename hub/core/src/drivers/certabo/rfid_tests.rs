//! Lines of a Certabo board, clean and as real boards send them.

use readings::ReadingKind;

use super::*;

/// The line of a board on which these pieces stand, each with a tag of its own by its place in the set-up.
fn line(tags: &[Option<u8>; 64]) -> Vec<u8> {
    let mut line = b":".to_vec();
    for number in 0..64_u32 {
        let tag = tags[usize::from(Square::new(number ^ 56))];
        let bytes = tag.map_or([0; TAG_BYTES], |tag| [1, 2, 3, 4, tag]);
        line.extend(bytes.map(|byte| format!("{byte} ")).concat().bytes());
    }
    line.extend(b"\r\n");
    line
}

fn set_up_tags() -> [Option<u8>; 64] {
    let mut tags = [None; 64];
    for square in (0..16).chain(48..64) {
        tags[square] = Some(100 + square as u8);
    }
    tags
}

fn told(rfid: &mut Rfid) -> Vec<ReadingKind> {
    crate::drivers::readings_said(rfid).into_iter().map(|(_, kind)| kind).collect()
}

fn admitted(kept: Option<String>) -> Rfid {
    let mut rfid = Rfid::new(CertaboSettings::default(), TagBook::default());
    rfid.admit(Unit::ONLY, ConnectionState::New { resume: None, kept });
    rfid
}

fn calibrated() -> Rfid {
    let mut rfid = admitted(None);
    for _ in 0..4 {
        rfid.receive(HubTime::ZERO, &line(&set_up_tags()));
    }
    rfid
}

fn piece(letter: char) -> SquareReading {
    SquareReading::Piece(Piece::from_char(letter).unwrap())
}

#[test]
fn a_set_up_that_stands_still_calibrates_and_is_kept() {
    let mut rfid = calibrated();
    assert_eq!(rfid.board.squares().unwrap()[4], piece('K'));
    let ConnectionState::Met { kept } = rfid.release(Unit::ONLY) else { panic!("kept") };
    let mut again = admitted(kept);
    let mut tags = [None; 64];
    tags[28] = Some(104);
    again.receive(HubTime::ZERO, &line(&tags));
    let told = told(&mut again);
    let [ReadingKind::Gap { .. }, ReadingKind::Snapshot { squares: Some(squares), .. }] =
        told.as_slice()
    else {
        panic!("{told:?}")
    };
    assert_eq!(squares[28], piece('K'));
}

#[test]
fn pieces_that_nobody_has_learnt_are_not_told_as_empty_squares_at_first() {
    let mut rfid = admitted(None);
    rfid.receive(HubTime::ZERO, &line(&set_up_tags()));
    assert_eq!(told(&mut rfid), []);
    rfid.receive(HubTime::ZERO, &line(&set_up_tags()));
    let told = told(&mut rfid);
    let [ReadingKind::Snapshot { squares: Some(squares), .. }] = told.as_slice() else {
        panic!("{told:?}")
    };
    let occupied = squares.iter().filter(|says| **says == SquareReading::Occupied).count();
    assert_eq!(occupied, 32);
}

/// A line as recorded at real boards: some empty squares name a tag, each time another one.
fn noisy_line(tags: &[Option<u8>; 64], number: u8) -> Vec<u8> {
    let noise = |square: usize| {
        let draw = (square * 31 + usize::from(number) * 17) % 32;
        (tags[square].is_none() && draw < 9).then_some([
            square as u8 | 0x80,
            number.wrapping_mul(37) | 1,
            9,
            draw as u8 + 1,
            number.wrapping_add(3) | 1,
        ])
    };
    let mut line = b":".to_vec();
    for place in 0..64_u32 {
        let square = usize::from(Square::new(place ^ 56));
        let bytes = tags[square].map(|tag| [1, 2, 3, 4, tag]).or_else(|| noise(square));
        let bytes = bytes.unwrap_or([0; TAG_BYTES]);
        line.extend(bytes.map(|byte| format!("{byte} ")).concat().bytes());
    }
    line.extend(b"\r\n");
    line
}

#[test]
fn a_set_up_is_learnt_although_empty_squares_name_tags_in_every_line() {
    let mut rfid = admitted(None);
    for number in 0..15 {
        rfid.receive(HubTime::ZERO, &noisy_line(&set_up_tags(), number));
    }
    let squares = rfid.board.squares().unwrap();
    assert_eq!((squares[4], squares[59]), (piece('K'), piece('q')));
    assert_eq!(rfid.known.len(), 32);
    // And a ply is read with the same noise.
    told(&mut rfid);
    let mut tags = set_up_tags();
    (tags[12], tags[28]) = (None, tags[12]);
    for number in 15..30 {
        rfid.receive(HubTime::ZERO, &noisy_line(&tags, number));
    }
    let (told, emptied) = (told(&mut rfid), SquareReading::Empty);
    let square =
        |square, reading| ReadingKind::Square { square, reading: Some(reading), level: None };
    assert_eq!(told, [square(Square::E2, emptied), square(Square::E4, piece('P'))]);
}

#[test]
fn a_set_up_is_learnt_although_some_lines_miss_a_piece() {
    let mut rfid = admitted(None);
    for number in 0..15_u8 {
        let mut tags = set_up_tags();
        // No three lines are alike.
        tags[usize::from(number % 16)] = None;
        rfid.receive(HubTime::ZERO, &line(&tags));
    }
    assert_eq!(rfid.known.len(), 32);
}

#[test]
fn a_code_of_mostly_zeros_is_an_empty_square() {
    let mut rfid = admitted(None);
    let mut numbers = vec![0; RFID_NUMBERS];
    for (place, tag) in (0_u32..).zip(set_up_tags()) {
        let at = usize::from(Square::new(place ^ 56)) * TAG_BYTES;
        let bytes = tag.map_or([0, 0, 56, 0, 0], |tag| [1, 2, 3, 4, tag]);
        numbers[at..at + TAG_BYTES].copy_from_slice(&bytes);
    }
    for _ in 0..4 {
        rfid.take(HubTime::ZERO, &numbers);
    }
    assert_eq!(rfid.known.len(), 32);
}

#[test]
fn second_queens_of_the_makers_set_up_are_learnt_with_it() {
    let mut rfid = admitted(None);
    let mut tags = set_up_tags();
    (tags[19], tags[43]) = (Some(200), Some(201));
    for _ in 0..4 {
        rfid.receive(HubTime::ZERO, &line(&tags));
    }
    let squares = rfid.board.squares().unwrap();
    assert_eq!((squares[19], squares[43]), (piece('Q'), piece('q')));
    assert_eq!(rfid.known.len(), 34);
}

#[test]
fn a_set_up_that_lacks_a_tag_names_the_square() {
    let mut rfid = admitted(None);
    let mut tags = set_up_tags();
    tags[6] = None;
    for _ in 0..20 {
        rfid.receive(HubTime::ZERO, &line(&tags));
    }
    let doubt = rfid.doubt.clone().unwrap();
    assert!(doubt.ends_with("not as in the set-up: g1"), "{doubt}");
}

#[test]
fn an_unknown_tag_is_something_until_a_set_up_shows_what_it_is() {
    let mut rfid = calibrated();
    told(&mut rfid);
    let mut tags = set_up_tags();
    (tags[3], tags[27]) = (None, Some(7));
    rfid.receive(HubTime::ZERO, &line(&tags));
    rfid.receive(HubTime::ZERO, &line(&tags));
    let said = told(&mut rfid);
    assert!(said.contains(&ReadingKind::Square {
        square: Square::D4,
        reading: Some(SquareReading::Occupied),
        level: None,
    }));
    (tags[3], tags[27]) = (Some(7), None);
    for _ in 0..4 {
        rfid.receive(HubTime::ZERO, &line(&tags));
    }
    assert_eq!(rfid.board.squares().unwrap()[3], piece('Q'));
}

#[test]
fn a_board_that_is_turned_after_calibration_is_noticed() {
    let mut rfid = calibrated();
    let mut tags = set_up_tags();
    tags.reverse();
    for _ in 0..4 {
        rfid.receive(HubTime::ZERO, &line(&tags));
    }
    assert!(rfid.board.orientation().turned);
}
