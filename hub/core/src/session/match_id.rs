//! Names of matches: unique over hubs and times, and readable.

/// `<hub>-<table>-<UTC date>T<UTC time>`, for example `hub-1-3-20260307T140502`. `seconds`: Unix time.
pub(super) fn at(hub_id: &str, table: &str, seconds: u64) -> String {
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{hub_id}-{table}-{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}")
}

/// The Unix time in an id of [`at`]; `None` if the id has another form.
pub(super) fn second_of(match_id: &str) -> Option<u64> {
    let (_, time) = match_id.rsplit_once('-')?;
    let (date, time) = time.split_once('T')?;
    let number = |text: &str, from: usize, to: usize| text.get(from..to)?.parse::<u64>().ok();
    let days = days(number(date, 0, 4)?, number(date, 4, 6)?, number(date, 6, 8)?)?;
    let (hour, minute, second) = (number(time, 0, 2)?, number(time, 2, 4)?, number(time, 4, 6)?);
    Some(days * 86_400 + hour * 3_600 + minute * 60 + second)
}

/// Days from the epoch of Gregorian years that are counted from March to 1970-01-01.
const DAYS_TO_EPOCH: u64 = 719_468;
const DAYS_IN_400_YEARS: u64 = 146_097;

/// Number of a day counted from 1970-01-01; `None` for an earlier one.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let year = year.checked_sub(u64::from(month <= 2))?;
    let month_from_march = (month + 9) % 12;
    let of_year = ((153 * month_from_march + 2) / 5 + day).checked_sub(1)?;
    let year_of_era = year % 400;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    (year / 400 * DAYS_IN_400_YEARS + of_era).checked_sub(DAYS_TO_EPOCH)
}

/// Year, month and day of a day counted from 1970-01-01: Gregorian years are counted from March, so
/// that the leap day comes last.
const fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + DAYS_TO_EPOCH;
    let of_era = days % DAYS_IN_400_YEARS;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + days / DAYS_IN_400_YEARS * 400;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let id = |seconds: u64| at("h", "1", seconds);
        assert_eq!(id(0), "h-1-19700101T000000");
        assert_eq!(id(951_782_399), "h-1-20000228T235959");
        assert_eq!(id(951_782_400), "h-1-20000229T000000");
        assert_eq!(id(1_709_251_199), "h-1-20240229T235959");
        assert_eq!(id(1_798_761_599), "h-1-20261231T235959");
        for seconds in [0, 951_782_399, 951_782_400, 1_709_251_199, 1_709_337_600, 1_798_761_599] {
            assert_eq!(second_of(&id(seconds)), Some(seconds));
        }
        for other in ["", "h-1", "h-1-20261231", "h-1-2026123T235959", "h-1-19691231T235959"] {
            assert_eq!(second_of(other), None, "{other}");
        }
    }
}
