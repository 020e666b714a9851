//! Tests of a database: power cuts, and disks that fail.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use power_cut::{Effect, Fault, Loss, Recording};

use crate::programs::{expected, noting_states, program};

/// `every`: the power is cut at every write and every sync. Otherwise at some of them.
const CUTS: &str = "TWINBOARD_POWER_CUTS";
/// Cuts that are tried beside those at the beginning and around the main file's writes.
const EVENLY: usize = 30;
/// Cuts at the beginning, where the file is made.
const FIRST: usize = 16;
/// Parts of a recording that are checked one by one, for each thread.
const PARTS: usize = 12;
/// Number of disks between two messages about the progress.
const SAY_EVERY: usize = 1_000;
/// Number of steps between two power cuts, once a sync has failed.
const CUTS_AFTER_FAILED_SYNC: usize = 5;

/// Contents of a database on a disk.
pub(crate) struct Found {
    /// A digest of all contents of the database.
    pub(crate) state: u64,
    /// The last commit that had been reported to others.
    pub(crate) promised: u32,
}

/// A program's recording, and the contents of its database after each commit.
struct Run {
    name: &'static str,
    recording: Recording,
    /// None: not known.
    states: Option<HashMap<u64, u32>>,
    /// The last commit.
    last: u32,
    cuts: Vec<usize>,
    is_every: bool,
    disks: AtomicUsize,
    held: Mutex<BTreeSet<u32>>,
    begun: Instant,
}

impl Run {
    fn of(name: &'static str, recording: Recording, last: u32, begun: Instant) -> Run {
        let is_every = std::env::var(CUTS).is_ok_and(|which| which == "every");
        let (cuts, disks, held) = (Vec::new(), AtomicUsize::new(0), Mutex::default());
        Run { name, recording, states: None, last, cuts, is_every, disks, held, begun }
    }

    fn record(name: &'static str, file: &str, folder: &Path) -> Run {
        let begun = Instant::now();
        let program = noting_states(program(name, folder, None));
        let recording = Recording::of(&program, folder).expect("recorded");
        assert!(recording.around(file).count() > 20, "the log was carried over into the file");
        let states = expected(folder);
        let last = states.last().map_or(0, |(commits, _)| *commits);
        let mut run = Run::of(name, recording, last, begun);
        run.states = Some(states.into_iter().map(|(commits, state)| (state, commits)).collect());
        run.cuts = match run.is_every {
            true => (0..=run.recording.len()).collect(),
            false => some_cuts(&run.recording, file),
        };
        run
    }

    /// The same of the first commits, on a disk of which a sync fails; cut from there on.
    fn record_failing(
        name: &'static str,
        commits: u32,
        folder: &Path,
        from: u32,
        lasts: bool,
    ) -> Run {
        let begun = Instant::now();
        let program = program(name, folder, Some(commits));
        let recording =
            Recording::with_failing_sync(&program, folder, from, lasts).expect("recorded");
        let mut replay = recording.replay();
        replay.advance_to(recording.len());
        let told = replay.promised().iter().filter_map(|line| line.strip_prefix("commits "));
        let last = told.filter_map(|number| number.parse().ok()).max().unwrap_or(0);
        let mut run = Run::of(name, recording, last, begun);
        let first = run.recording.first_failed_sync().expect("a sync failed");
        let every = if run.is_every { 1 } else { CUTS_AFTER_FAILED_SYNC };
        run.cuts = (first..=run.recording.len()).rev().step_by(every).collect();
        run.cuts.reverse();
        run
    }

    /// Makes the disks of some neighbouring cuts and has them looked at.
    fn look_at(&self, cuts: &[usize], look: &impl AsyncFn(&Path, &[String]) -> Found) {
        let mut replay = self.recording.replay();
        for &cut in cuts {
            replay.advance_to(cut);
            for loss in replay.take_unseen() {
                let context = Context { name: self.name, cut, of: self.recording.len(), loss };
                let left = tempfile::tempdir_in(fast_folder()).expect("a folder");
                replay.write(loss, left.path()).expect("written");
                let found = block_on(look(left.path(), replay.promised()));
                self.take(&context, &found);
            }
        }
    }

    fn look_at_all(&self, look: &(impl AsyncFn(&Path, &[String]) -> Found + Sync)) {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let part = self.cuts.len().div_ceil(threads * PARTS);
        let parts: Vec<&[usize]> = self.cuts.chunks(part).collect();
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(cuts) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                        self.look_at(cuts, look);
                    }
                });
            }
        });
    }

    fn take(&self, context: &Context, found: &Found) {
        if let Some(states) = &self.states {
            let commits = states.get(&found.state).copied();
            let commits = commits
                .unwrap_or_else(|| panic!("{context}: no beginning of what was written is there"));
            let promised = found.promised;
            assert!(commits >= promised, "{context}: {commits} commits of {promised} promised");
            self.held.lock().expect("no thread has failed").insert(commits);
        }
        let disks = self.disks.fetch_add(1, Ordering::Relaxed) + 1;
        if disks.is_multiple_of(SAY_EVERY) {
            eprintln!("{disks} disks, {} s; {context}", self.begun.elapsed().as_secs());
        }
    }

    fn say(&self) {
        let (writes, syncs) = self.recording.writes_and_syncs();
        eprintln!(
            "{}: {} commits in {writes} writes and {syncs} syncs; {} cuts, {} disks, {} s: nothing promised is missing",
            self.name,
            self.last,
            self.cuts.len(),
            self.disks.load(Ordering::Relaxed),
            self.begun.elapsed().as_secs(),
        );
    }

    fn conclude(&self) {
        self.say();
        let held = self.held.lock().expect("no thread has failed");
        assert_eq!(held.last(), Some(&self.last));
        let states = self.states.as_ref().map_or(0, HashMap::len);
        let least = if self.is_every { states } else { EVENLY / 2 };
        assert!(held.len() >= least, "the cuts fell all over the run: {held:?}");
    }
}

/// Place of a check, for the message of a failure.
struct Context {
    name: &'static str,
    cut: usize,
    of: usize,
    loss: Loss,
}

impl std::fmt::Display for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, cut after step {} of {}, {:?} lost", self.name, self.cut, self.of, self.loss)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("it failed at: {self}");
        }
    }
}

/// Cuts at the beginning, around the writes of the main file, and evenly over the whole.
fn some_cuts(recording: &Recording, main_file: &str) -> Vec<usize> {
    let main: Vec<usize> = recording.around(main_file).collect();
    let near_main = main.iter().step_by(main.len().div_ceil(EVENLY).max(1)).copied();
    let evenly = (0..recording.len()).step_by((recording.len() / EVENLY).max(1));
    let mut cuts: Vec<usize> = (0..FIRST).chain(near_main).chain(evenly).collect();
    cuts.push(recording.len());
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// Records a program, cuts the power at its steps in every way, and calls `look` for each remaining disk.
pub(crate) fn survives_cuts(
    name: &'static str,
    file: &str,
    look: impl AsyncFn(&Path, &[String]) -> Found + Sync,
) {
    if !can_record() {
        return;
    }
    let work = tempfile::tempdir_in(fast_folder()).expect("a folder");
    let folder = work.path().join("disk");
    std::fs::create_dir(&folder).expect("a folder");
    let run = Run::record(name, file, &folder);
    run.look_at_all(&look);
    run.conclude();
}

/// Records a short program, and cuts the power at each of its steps in every way. `look` returns whether the database was there at
/// once: both cases must occur.
pub(crate) fn survives_every_cut(name: &str, look: impl AsyncFn(&Path, &[String]) -> bool) {
    if !can_record() {
        return;
    }
    let work = tempfile::tempdir_in(fast_folder()).expect("a folder");
    let folder = work.path().join("disk");
    std::fs::create_dir(&folder).expect("a folder");
    let recording = Recording::of(&program(name, &folder, None), &folder).expect("recorded");
    let mut replay = recording.replay();
    let mut seen = [0, 0];
    for cut in 0..=recording.len() {
        replay.advance_to(cut);
        for loss in replay.take_unseen() {
            eprintln!("{name}, cut after step {cut} of {}, {loss:?} lost", recording.len());
            let left = tempfile::tempdir_in(fast_folder()).expect("a folder");
            replay.write(loss, left.path()).expect("written");
            seen[usize::from(block_on(look(left.path(), replay.promised())))] += 1;
        }
    }
    eprintln!("{name}: {seen:?} disks without the database and with it");
    assert!(seen.iter().all(|disks| *disks > 0), "{seen:?}");
}

/// Returns the contents of a program's database after each of its first commits, on a healthy disk.
fn first_states(name: &str, commits: u32) -> HashMap<u64, u32> {
    let work = tempfile::tempdir_in(fast_folder()).expect("a folder");
    let folder = work.path().join("disk");
    std::fs::create_dir(&folder).expect("a folder");
    let mut program = noting_states(program(name, &folder, Some(commits)));
    assert!(program.output().expect("it runs").status.success());
    expected(&folder).into_iter().map(|(commits, state)| (state, commits)).collect()
}

/// Cuts the power after a sync that failed. The system does not write those changes, and the next sync does not report it. `syncs`: the
/// number of the sync that fails, for each thread, and whether all later ones fail too. `is_same`: the program does the same whenever
/// that happens, so that the disk may contain only states of a healthy disk.
pub(crate) fn survives_cuts_after_failed_syncs(
    name: &'static str,
    commits: u32,
    syncs: &[(u32, bool)],
    is_same: bool,
    look: impl AsyncFn(&Path, &[String]) -> Found + Sync,
) {
    for &(from, lasts) in syncs.iter().filter(|_| can_record()) {
        let work = tempfile::tempdir_in(fast_folder()).expect("a folder");
        let folder = work.path().join("disk");
        std::fs::create_dir(&folder).expect("a folder");
        let mut run = Run::record_failing(name, commits, &folder, from, lasts);
        run.states = is_same.then(|| first_states(name, commits));
        run.look_at_all(&look);
        run.say();
        assert!(lasts || run.last >= commits, "it goes on after one failed sync: {}", run.last);
    }
}

/// Returns a folder in memory, if possible: the tests check writes and reports, not the speed of a disk.
fn fast_folder() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(future)
}

/// Whether system calls can be recorded here; under CI they must be.
fn can_record() -> bool {
    let found = Command::new("strace").arg("-V").output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "install strace");
    if !found {
        eprintln!("left out: there is no strace (Debian: apt-get install strace)");
    }
    found
}

const fn call(call: &'static str, effect: Effect, from: u32, lasts: bool) -> Fault {
    Fault::Call { call, effect, from, lasts }
}

/// Faults of disks: no room, a sync that fails once or for good, a device that breaks, short reads and writes. `read`: the number of
/// the read that fails, for each thread.
fn faults(read: u32) -> [Fault; 11] {
    [
        call("pwrite64", Effect::Error("ENOSPC"), 60, true),
        call("pwrite64", Effect::Error("ENOSPC"), 80, false),
        call("pwrite64", Effect::Error("EIO"), 100, true),
        call("pwrite64", Effect::Nothing, 90, false),
        call("fsync", Effect::Error("EIO"), 14, false),
        call("fsync", Effect::Error("EIO"), 12, true),
        call("pread64", Effect::Error("EIO"), read, false),
        call("pread64", Effect::Nothing, read, false),
        call("ftruncate", Effect::Error("EIO"), 1, true),
        Fault::FileSize(301),
        Fault::FileSize(302),
    ]
}

/// Checks on each faulty disk that the program keeps its promises, and that the next start goes on from there.
pub(crate) fn survives_faults(
    name: &str,
    commits: u32,
    read: u32,
    look: impl AsyncFn(&Path, &[String]) -> Found,
) {
    for fault in faults(read).into_iter().filter(|_| can_record()) {
        let work = tempfile::tempdir_in(fast_folder()).expect("a folder");
        let folder = work.path().join("disk");
        std::fs::create_dir(&folder).expect("a folder");
        let program = program(name, &folder, Some(commits));
        let faulty = Recording::under_fault(&program, &folder, fault).expect("strace is there");
        let found = block_on(look(&folder, &faulty.promised));
        let (fell, status, promised) = (faulty.fell, faulty.status, found.promised);
        eprintln!(
            "{name}, {fault:?}: {fell} calls were not done, {promised} commits were promised; {status}"
        );
        assert!(fell > 0, "{fault:?} came over {name}");
    }
}
