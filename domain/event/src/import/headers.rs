//! Headers of lists: the words by which the guess knows each field, in five languages.

use unicode_normalization::UnicodeNormalization as _;

use super::Field;
use crate::names::name_key;

use Field::{
    BlackA, BlackB, Board, Club, First, Id, Number, Partner, Player, Rating, Result as ResultField,
    Round, Second, SecondResult, Section, Table, Team, WhiteA, WhiteB,
};

impl Field {
    /// Headers that organisers and their programmes use, as [`mapping`](super::mapping) compares them, the plainest first: in English, then in
    /// German, Spanish, French and Italian.
    #[rustfmt::skip]
    pub(super) const fn words(self) -> &'static [&'static str] {
        match self {
            Section => &[
                "section", "sect", "division", "group", "gruppe", "klasse", "seccion", "categoria",
                "grupo", "categorie", "groupe",
            ],
            Number => &[
                "number", "no", "nr", "n", "#", "pair", "pairing number", "pairno", "pair no",
                "start no", "startnr", "numero", "num",
                "tnr", "teiln", "snr",
            ],
            Team => &[
                "team", "team name", "pair name", "mannschaft", "mannschaftsname", "equipo",
                "equipe", "squadra",
            ],
            Player => &[
                "player 1", "player1", "player", "name", "player a", "first player", "member 1",
                "player 1 name", "player name", "full name", "spieler 1", "spieler", "jugador 1",
                "jugador", "nombre", "joueur 1", "joueur", "nom", "giocatore 1", "giocatore",
                "nome", "teilnehmer", "mem name", "child's name", "child name", "student name", "student",
            ],
            Partner => &[
                "player 2", "player2", "partner", "player b", "second player", "member 2",
                "player 2 name", "spieler 2", "jugador 2", "joueur 2", "giocatore 2",
            ],
            Club => &[
                "club", "school", "school name", "team code", "club/city", "verein", "verein/ort",
                "schule", "escuela",
                "colegio", "ecole", "scuola",
            ],
            Rating => &[
                "rating", "rtg", "rtng", "reg rating", "player rating", "elo", "elo fide", "elo nat", "nwz", "uscf rating", "us chess rating", "fide rating",
                "dwz",
            ],
            Id => &[
                "id", "uscf id", "us chess id", "fide id", "fideid", "uscf", "id number",
                "member id", "mem id", "id fide", "fide kenn", "id nat", "student id",
            ],
            Round => &["round", "rd", "rnd", "runde", "ronda", "ronde", "turno"],
            Table => &["table", "tbl", "tisch", "mesa", "m", "tavolo"],
            Board => &[
                "board", "bd", "brd", "board number", "bo", "br", "brett", "tablero", "echiquier",
                "ech", "scacchiera", "sc",
            ],
            First => &[
                "team 1", "team a", "first", "white", "team1", "home", "side 1", "white name",
                "white player", "white no", "weiss", "heim", "blancas", "local", "blancs",
                "bianco", "name", "team", "mannschaft", "equipo", "equipe", "teilnehmer",
            ],
            Second => &[
                "team 2", "team b", "second", "black", "team2", "away", "side 2", "opponent",
                "black name", "black player", "black no", "schwarz", "gast", "negras", "visitante",
                "noirs", "nero",
            ],
            ResultField => &[
                "result", "score", "res", "result 1", "res 1", "white result", "white score", "wscore", "ergebnis",
                "erg", "resultado", "resultat", "risultato",
            ],
            SecondResult => &["result 2", "black result", "black score", "bscore", "res 2"],
            WhiteA => &["white a", "a white", "white on a"],
            BlackA => &["black a", "a black", "black on a"],
            WhiteB => &["white b", "b white", "white on b"],
            BlackB => &["black b", "b black", "black on b"],
        }
    }

    /// The two columns that make the field: `Name` is half of one where a column of first names is beside it.
    pub(super) const fn parts(self) -> &'static [[&'static str; 2]] {
        match self {
            Player | Partner => &[
                ["first name", "last name"],
                ["first name", "surname"],
                ["given name", "family name"],
                ["first", "last"],
                ["given name", "surname"],
                ["forename", "surname"],
                ["first name", "name"],
                ["name", "surname"],
                ["name", "last name"],
                ["name", "family name"],
                ["vorname", "nachname"],
                ["vorname", "name"],
                ["nombre", "apellidos"],
                ["nombre", "apellido"],
                ["prenom", "nom"],
                ["nome", "cognome"],
            ],
            _ => &[],
        }
    }

    /// Words before the headers of [`parts`](Field::parts): whose name it is.
    pub(super) const fn owners(self) -> &'static [&'static str] {
        match self {
            Player => &[
                "",
                "player ",
                "player 1 ",
                "child's ",
                "child ",
                "student's ",
                "student ",
                "participant ",
            ],
            Partner => &["player 2 ", "partner "],
            _ => &[],
        }
    }

    /// The field whose second column of the same name this is, as in White, Result, Black, Result.
    pub(super) const fn twin(self) -> Option<Field> {
        match self {
            Partner => Some(Player),
            Second => Some(First),
            SecondResult => Some(ResultField),
            _ => None,
        }
    }
}

/// Whether a header is this word; blanks, hyphens and apostrophes do not count.
pub(super) fn is_word(key: &str, word: &str) -> bool {
    key.chars().eq(word.chars().filter(|it| it.is_alphanumeric() || *it == '#'))
}

/// A header as it is compared: as names are, without accents, blanks and signs, and without a remark in parentheses.
pub(super) fn plain(name: &str) -> String {
    let accented = |it: &char| unicode_normalization::char::is_combining_mark(*it);
    let key: String = name_key(name).nfd().filter(|it| !accented(it)).collect();
    let key = key.replace('ß', "ss");
    let before = key.split('(').next().unwrap_or_default().trim();
    let text = if before.is_empty() { key.as_str() } else { before };
    let words: String = text.chars().filter(|it| it.is_alphanumeric()).collect();
    if words.is_empty() && text.contains('#') { "#".to_owned() } else { words }
}

/// Length from which a word for a field is recognised at the end of a header.
const LONG_WORD: usize = 7;
/// Parts of headers that are about people who do not play.
const OTHERS: &[&str] =
    &["parent", "guardian", "coach", "contact", "emergency", "mother", "father"];

/// The only column that is left whose header ends with a longer word for a field, such as `Bughouse Team Name`.
pub(super) fn longer(keys: &[String], taken: &[bool], field: Field) -> Option<usize> {
    let words = field.words().iter().map(|word| plain(word));
    let words: Vec<String> = words.filter(|word| word.len() >= LONG_WORD).collect();
    let is_other = |key: &str| OTHERS.iter().any(|other| key.contains(other));
    let mut named = (0..keys.len())
        .filter(|&at| !taken[at] && !is_other(&keys[at]))
        .filter(|&at| words.iter().any(|word| keys[at].ends_with(word.as_str())));
    named.next().filter(|_| named.next().is_none())
}
