//! Prints what the Pico's images need of time.

use std::process::ExitCode;

use pico_emulator::boards::BOARDS;
use pico_emulator::measure;

fn main() -> ExitCode {
    println!(
        "| image | scans | longest period, µs | longest scan, µs | changes | slowest, µs | of them debounce | stack used |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for board in BOARDS {
        match measure(&board) {
            Ok(figures) => {
                let (period, scan) = (figures.longest_period_us, figures.longest_scan_us);
                let scan = match figures.scans {
                    0 => "– | – | –".to_owned(),
                    scans => format!("{scans} | {period:.0} | {scan:.0}"),
                };
                println!(
                    "| `{}` | {scan} | {} | {:.0} | {} | {} |",
                    board.image,
                    figures.changes,
                    figures.slowest_change_us,
                    board.debounce_us,
                    figures.stack_bytes
                );
            }
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
