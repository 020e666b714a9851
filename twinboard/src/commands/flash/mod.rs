//! `twinboard flash`: a firmware image onto a Pico or a Pico 2 in its boot mode, and a look at what runs afterwards.
//!
//! A node's id is its Pico's own number and its label stands in the hub's configuration, so both stay as they are.

mod chip;
mod drive;
mod image;

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use indicatif::ProgressBar;

use self::drive::{Drive, VANISHES_WITHIN};
use self::image::Image;
use super::doctor::{self, Answering, PortScan};
use crate::stdout;

/// Interval of searching drives and ports.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Longest wait for the node to answer with its new firmware.
const ANSWERS_WITHIN: Duration = Duration::from_secs(20);

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Name of an image, or a .uf2 file. Without it the images are listed.
    #[arg(value_name = "IMAGE")]
    image: Option<String>,
    /// Folder of the images; without it the one beside the program, or /usr/share/twinboard/firmware.
    #[arg(long, value_name = "FOLDER")]
    firmware: Option<PathBuf>,
    /// The Pico's drive, where it is mounted; without it the connected one.
    #[arg(long, value_name = "FOLDER")]
    drive: Option<PathBuf>,
    /// Maximum wait for a Pico in its boot mode, seconds.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(0..=3_600))]
    wait_s: u64,
    #[command(flatten)]
    sight: PortScan,
}

/// Runs the command; the code says whether the node answers with the firmware of this release.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let folders = image::folders(arguments.firmware.as_deref());
    let Some(wanted) = &arguments.image else { return list(&folders) };
    let image = Image::read(wanted, &folders)?;
    let drive = match &arguments.drive {
        Some(folder) => Drive::at(folder)?,
        None => wait_for_drive(Duration::from_secs(arguments.wait_s))?,
    };
    // A Pico in its boot mode has no port: the one that appears afterwards is its own.
    let before: HashSet<PathBuf> = doctor::ports(&arguments.sight).into_iter().collect();
    let bar = ProgressBar::new_spinner().with_message(format!("writing {}", image.name));
    bar.enable_steady_tick(LOOK_EVERY);
    drive.write(&image, VANISHES_WITHIN)?;
    drop(drive);
    bar.set_message("waiting for the node to answer");
    let answering = wait_for_node(&arguments.sight, &before)?;
    bar.finish_and_clear();
    report(&image, answering)
}

fn list(folders: &[PathBuf]) -> Result<ExitCode> {
    let images = image::list(folders);
    if images.is_empty() {
        let looked: Vec<String> = folders.iter().map(|it| it.display().to_string()).collect();
        bail!("there are no images in {}: name a folder with --firmware", looked.join(" or "));
    }
    for (name, wiring) in images {
        stdout::print_line(format_args!("{name:<24}{wiring}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits for a Pico in its boot mode; says once what to do for it.
fn wait_for_drive(patience: Duration) -> Result<Drive> {
    let deadline = Instant::now() + patience;
    let mut asked = false;
    loop {
        if let Some(drive) = Drive::find()? {
            return Ok(drive);
        }
        if Instant::now() >= deadline {
            bail!(
                "no Pico is in its boot mode: hold its white button (BOOTSEL) while you plug it in. If no drive RPI-RP2 or RP2350 appears, try \
                 another cable (many only charge)"
            );
        }
        if !asked {
            eprintln!("Unplug the Pico. Hold its white button (BOOTSEL), plug it in, let go.");
            asked = true;
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Device that answers at a new port; `None` if none does in time.
fn wait_for_node(sight: &PortScan, before: &HashSet<PathBuf>) -> Result<Option<Answering>> {
    let deadline = Instant::now() + ANSWERS_WITHIN;
    while Instant::now() < deadline {
        let new: Vec<PathBuf> =
            doctor::ports(sight).into_iter().filter(|port| !before.contains(port)).collect();
        if !new.is_empty()
            && let Some(answering) = doctor::answering(sight, new)?
        {
            return Ok(Some(answering));
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(None)
}

fn report(image: &Image, answering: Option<Answering>) -> Result<ExitCode> {
    let Some(node) = answering else {
        bail!(
            "{} is written, and no node answers at a new port after {} s: unplug it and plug it in, then \
             `twinboard doctor`",
            image.name,
            ANSWERS_WITHIN.as_secs()
        );
    };
    let runs = node.image.as_deref().unwrap_or(&image.name);
    let place = node.place.as_deref().unwrap_or("no place yet: twinboard doctor bind");
    stdout::print_line(format_args!(
        "{} runs {}, firmware {}, at {} ({place})",
        node.name,
        runs,
        node.firmware,
        node.port.display()
    ))?;
    if runs != image.name {
        bail!("{} runs {runs} and not {}: flash it again", node.name, image.name);
    }
    if node.is_clock != image.is_clock() {
        bail!("{} answers as {}: is the image the one for its wiring?", node.name, node.kind);
    }
    if node.firmware != env!("CARGO_PKG_VERSION") {
        eprintln!(
            "twinboard: its firmware is of release {}, this program of {}: take the images of this release",
            node.firmware,
            env!("CARGO_PKG_VERSION")
        );
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
