//! The hub's end of the link. It turns an unreliable stream of bytes into a reliable stream of events: in order, each once, and every
//! gap reported. Sans-IO: bytes and times come in, events and bytes go out.

mod boot;
mod commands;
mod event;
mod exchange;
mod request;

use boot::{Boot, EndedBoots};
use commands::Commands;
pub use commands::{
    COMMAND_AGE_MAX_US, COMMAND_ATTEMPTS, COMMAND_INTERVAL_US, COMMAND_PATIENCE_US, CommandName,
    MAX_COMMANDS, TooManyCommands,
};
pub use event::{CommandOutcome, FrameTiming, HostEvent, RejectedFrame, ResumePoint};
use exchange::Exchanges;
pub use exchange::{EXCHANGE_INTERVAL_US, REQUEST_SNAPSHOT_BYTES, STAMP_AGE_MAX_US};
pub use request::REQUEST_INTERVAL_US;
use request::{Questions, Request};

use super::{
    Decoder, Encoder, Frame, FrameError, Hello, HubTime, Identify, Message, NodeId, Order,
};

/// Number of fruitless resend requests after which the node is asked for its acknowledged position: acknowledged events it
/// cannot resend.
const FRUITLESS_RESENDS: u8 = 3;

/// Fate of a command that was given under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// [`HostEvent::CommandEnded`] reports the result, with this number.
    UnderWay(u32),
    /// The node has restarted since the name was chosen.
    OtherRun,
    /// The node has not introduced itself: nothing was begun, give it again.
    NotYet,
}

/// A HELLO that has arrived, and the bytes of its frame.
struct Introduction {
    boot_id: u32,
    sequence: u32,
    hello: Hello,
    bytes: u16,
}

/// The hub's end of the link to one node.
#[derive(Clone, Debug)]
pub struct HostSession {
    decoder: Decoder,
    encoder: Encoder,
    /// Expected node; `None` accepts any.
    expected: Option<NodeId>,
    boot: Option<Boot>,
    resume: Option<ResumePoint>,
    ended: EndedBoots,
    last_frame: Option<HubTime>,
    duplicates: u64,
    hello: Request,
    questions: Questions,
    resend: Request,
    /// Resend requests since the last accepted event.
    fruitless: u8,
    snapshot: bool,
    exchanges: Exchanges,
    /// The node that introduces itself next is asked for its time at once.
    unmet: bool,
    /// Bytes since the last zero.
    frame_bytes: u16,
    ack: bool,
    identify: Option<u8>,
    update_report: bool,
    commands: Commands,
}

impl HostSession {
    /// A session with a node of which the journal knows `resume`. It begins by asking for HELLO.
    pub fn new(resume: Option<ResumePoint>) -> Self {
        Self {
            decoder: Decoder::new(),
            encoder: Encoder::new(),
            expected: None,
            boot: None,
            resume,
            ended: EndedBoots::default(),
            last_frame: None,
            duplicates: 0,
            hello: Request::at_once(),
            questions: Questions::default(),
            resend: Request::default(),
            fruitless: 0,
            snapshot: false,
            exchanges: Exchanges::default(),
            unmet: true,
            frame_bytes: 0,
            ack: false,
            identify: None,
            update_report: false,
            commands: Commands::new(),
        }
    }

    /// The session is with this node from now on. On a line with hidden plugs another node may take its place, and must not end
    /// its boot.
    pub fn expect(&mut self, node_id: NodeId) {
        self.expected = Some(node_id);
    }

    /// Handles a reopened port, perhaps with a restarted node: clears half frames and asks for HELLO. Received events stay
    /// received.
    pub fn reconnected(&mut self) {
        self.decoder.reset();
        self.encoder.reset();
        self.hello = Request::at_once();
        self.unmet = true;
        self.frame_bytes = 0;
        self.commands.hold();
    }

    /// Lets time pass to `now`: asks for the node's time when that is due, and sends a command again that was not answered, or gives
    /// it up.
    pub fn poll(&mut self, now: HubTime, mut deliver: impl FnMut(HostEvent)) {
        self.exchanges.poll(now, self.last_frame);
        if let Some(given_up) = self.commands.poll(now) {
            deliver(given_up);
        }
    }

    /// Time at which [`Self::poll`] next has something to do.
    pub fn next_due(&self) -> Option<HubTime> {
        let exchange = self.exchanges.next_due();
        self.commands.next_due().into_iter().chain(exchange).min()
    }

    /// Sends the node a command, to be executed once. Commands are sent one after the other, each again until it is answered, at most
    /// [`COMMAND_ATTEMPTS`] times. [`HostEvent::CommandEnded`] reports the result, with the number returned here. None is sent before
    /// the node has introduced itself and shown its state.
    ///
    /// # Errors
    /// If [`MAX_COMMANDS`] wait already.
    pub fn command(&mut self, now: HubTime, order: Order) -> Result<u32, TooManyCommands> {
        self.commands.push(now, order, None)
    }

    /// Name of a command that [`Self::give`] would give now; `None` while another one waits, or before the node's HELLO and
    /// snapshot.
    pub fn next_command(&self) -> Option<CommandName> {
        let boot_id = self.boot.as_ref()?.id;
        Some(CommandName { boot_id, request: self.commands.next_request()? })
    }

    /// Gives a command under a stored name, perhaps after the hub's restart: a command that was done under this name is
    /// answered again and not done again. In another run of the node it is [interrupted](CommandOutcome::Interrupted) at once,
    /// and a name that something else has had is answered as [taken](crate::link::CommandResult::NumberTaken).
    ///
    /// # Errors
    /// If [`MAX_COMMANDS`] wait already.
    pub fn give(
        &mut self,
        now: HubTime,
        name: CommandName,
        order: Order,
    ) -> Result<Given, TooManyCommands> {
        match &self.boot {
            None => Ok(Given::NotYet),
            Some(boot) if boot.id != name.boot_id => Ok(Given::OtherRun),
            Some(_) => self.commands.push(now, order, Some(name.request)).map(Given::UnderWay),
        }
    }

    /// Receives bytes from the line at `now`; calls `deliver` for the resulting events, in order.
    pub fn receive(&mut self, now: HubTime, bytes: &[u8], mut deliver: impl FnMut(HostEvent)) {
        for &byte in bytes {
            let bytes = self.count(byte);
            match self.decoder.push(byte) {
                None => {}
                Some(Ok(frame)) => self.take_frame(now, frame, bytes, &mut deliver),
                Some(Err(FrameError::Schema(mismatch))) => {
                    self.last_frame = Some(now);
                    deliver(HostEvent::Incompatible(mismatch));
                }
                Some(Err(error)) => deliver(HostEvent::Rejected(error.into())),
            }
        }
    }

    /// Counts the bytes of a frame, as of now, both zeros included.
    fn count(&mut self, byte: u8) -> u16 {
        let bytes = self.frame_bytes;
        self.frame_bytes = if byte == 0 { 0 } else { bytes.saturating_add(1) };
        bytes.saturating_add(2)
    }

    fn take_frame(
        &mut self,
        now: HubTime,
        frame: Frame,
        bytes: u16,
        deliver: &mut impl FnMut(HostEvent),
    ) {
        if !frame.message.message_type().is_from_node() {
            deliver(HostEvent::Rejected(RejectedFrame::WrongDirection));
            return;
        }
        self.last_frame = Some(now);
        let Frame { boot_id, sequence, message } = frame;
        if let Message::Hello(hello) = message {
            self.take_hello(now, Introduction { boot_id, sequence, hello, bytes }, deliver);
            return;
        }
        let Some(boot) = self.boot.as_mut().filter(|boot| boot.id == boot_id) else {
            self.ask_who(now);
            return;
        };
        if let Message::Snapshot(snapshot) = &message {
            self.commands.learn(now, snapshot.last_request);
            let asked = self.exchanges.answered(now, snapshot.answers);
            let made = snapshot.time.plus_micros(snapshot.age_us.into());
            deliver(HostEvent::Timing(FrameTiming { boot_id, made, bytes, asked }));
        }
        if let Message::Health(health) = &message {
            let made = health.time;
            deliver(HostEvent::Timing(FrameTiming { boot_id, made, bytes, asked: None }));
        }
        match message {
            Message::Lost(lost) => match boot.lose(sequence, &lost) {
                Ok(Some(gap)) => deliver(gap),
                Ok(None) => self.ack |= lost.last <= boot.committed,
                Err(rejected) => deliver(HostEvent::Rejected(rejected)),
            },
            Message::Health(health) => deliver(HostEvent::Health { boot_id, health }),
            Message::BoardHealth(health) => deliver(HostEvent::BoardHealth { boot_id, health }),
            Message::Started(started) => deliver(HostEvent::Started { boot_id, started }),
            // One that is ahead of the events received shows that some are missing; one behind is out of date.
            Message::Snapshot(_) if sequence > boot.received => self.ask_again(now),
            Message::Snapshot(_) if sequence < boot.received => {}
            Message::Snapshot(snapshot) => {
                deliver(HostEvent::Snapshot { boot_id, sequence, snapshot });
            }
            Message::UpdateReport(report) => {
                deliver(HostEvent::UpdateReport { boot_id, report });
            }
            event => self.take_event(now, sequence, event, deliver),
        }
    }

    /// Delivers an event of the current boot, if it is the next one.
    fn take_event(
        &mut self,
        now: HubTime,
        sequence: u32,
        event: Message,
        deliver: &mut impl FnMut(HostEvent),
    ) {
        debug_assert!(event.message_type().is_event());
        let Some(boot) = self.boot.as_mut() else { return };
        if sequence <= boot.received {
            self.duplicates += 1;
            // The acknowledgement that should have ended this was lost.
            self.ack |= sequence <= boot.committed;
            return;
        }
        if sequence - 1 > boot.received {
            self.ask_again(now);
            return;
        }
        boot.received = sequence;
        self.fruitless = 0;
        let boot_id = boot.id;
        let answered = match &event {
            Message::Answer(answer) => self.commands.take_answer(now, answer),
            _ => None,
        };
        deliver(HostEvent::Event { boot_id, sequence, message: event });
        if let Some(ended) = answered {
            deliver(ended);
        }
    }

    /// Asks for missing events. Mostly the line has lost them, and they are resent. If not, an acknowledgement from before this
    /// hub's journal was restored has freed them at the node: its HELLO shows that.
    fn ask_again(&mut self, now: HubTime) {
        if self.resend.raise(now) {
            self.fruitless += 1;
        }
        if self.fruitless > FRUITLESS_RESENDS {
            self.fruitless = 0;
            self.ask_who(now);
        }
    }

    /// Asks for HELLO, unless that was done just now.
    fn ask_who(&mut self, now: HubTime) {
        if self.hello.raise(now) {
            self.questions.ask(now);
        }
    }

    fn take_hello(
        &mut self,
        now: HubTime,
        introduction: Introduction,
        deliver: &mut impl FnMut(HostEvent),
    ) {
        let Introduction { boot_id, sequence, hello, bytes } = introduction;
        if self.expected.as_ref().is_some_and(|expected| *expected != hello.node_id) {
            deliver(HostEvent::OtherNode { node_id: hello.node_id });
            return;
        }
        if self.ended.contains(boot_id) {
            deliver(HostEvent::Rejected(RejectedFrame::EndedBoot { boot_id }));
            return;
        }
        if self.is_doubtful(boot_id, hello.answers) {
            self.hello.due = true;
            self.questions.ask(now);
            return;
        }
        let same_boot = self.boot.as_mut().filter(|boot| boot.id == boot_id);
        let boot = match same_boot {
            Some(boot) if sequence < boot.received => {
                deliver(HostEvent::Rejected(RejectedFrame::BootIdReused { boot_id }));
                return;
            }
            Some(boot) => boot,
            None => {
                let resume = self.resume.take();
                let known = resume.filter(|resume| resume.boot_id == boot_id);
                let previous = self.boot.as_ref().map(|boot| boot.id);
                let previous = previous.or(resume.map(|resume| resume.boot_id));
                if let Some(previous_boot_id) = previous.filter(|&previous| previous != boot_id) {
                    self.ended.add(previous_boot_id);
                    deliver(HostEvent::Restarted { previous_boot_id, boot_id });
                }
                if let Some(interrupted) = self.commands.restart(now) {
                    deliver(interrupted);
                }
                self.unmet = true;
                self.questions.close();
                let start = known.map_or(hello.acknowledged, |resume| resume.sequence);
                self.boot.insert(Boot { id: boot_id, received: start, committed: start })
            }
        };
        // Acknowledged by this hub once, but not in its journal: the journal was set back.
        let gap = boot.skip_to(hello.acknowledged);
        self.ack |= hello.acknowledged < boot.committed;
        let next_sequence = boot.received.saturating_add(1);
        if let Some(gap) = gap {
            deliver(gap);
        }
        let made = hello.time;
        deliver(HostEvent::Timing(FrameTiming { boot_id, made, bytes, asked: None }));
        deliver(HostEvent::Hello { boot_id, next_sequence, hello });
        if core::mem::take(&mut self.unmet) {
            self.exchanges.begin(now);
        }
    }

    /// Whether this HELLO may be a late one of an earlier boot, which the hub may not know. The hub then requests HELLO again, and the
    /// answer to that request counts.
    fn is_doubtful(&self, boot_id: u32, answers: u32) -> bool {
        let present = self.boot.as_ref().map(|boot| boot.id);
        let present = present.or(self.resume.map(|resume| resume.boot_id));
        present.is_some_and(|present| present != boot_id) && !self.questions.contains(answers)
    }

    /// Acknowledges to the node all of `boot_id` up to `sequence`, which is committed. Another boot than the current one, and
    /// sequences beyond the received ones, are ignored.
    pub fn committed(&mut self, boot_id: u32, sequence: u32) {
        if let Some(boot) = self.boot.as_mut().filter(|boot| boot.id == boot_id)
            && sequence > boot.committed
            && sequence <= boot.received
        {
            boot.committed = sequence;
            self.ack = true;
        }
    }

    /// Asks the node for a snapshot: it comes after all events that are older.
    pub fn request_snapshot(&mut self) {
        self.snapshot = true;
    }

    /// Asks the node to show itself for `seconds`; 0 = stop.
    pub fn identify(&mut self, seconds: u8) {
        self.identify = Some(seconds);
    }

    /// Asks for the name of the image that runs. Only for a node whose schema has [`Message::RequestUpdate`].
    pub fn request_update_report(&mut self) {
        self.update_report = true;
    }

    /// Moves bytes for the line into `out`; returns how many. Call again until it returns 0.
    pub fn transmit(&mut self, out: &mut [u8]) -> usize {
        let mut moved = 0;
        while moved < out.len() {
            if self.encoder.is_drained() && !self.encode_next() {
                break;
            }
            moved += self.encoder.drain_into(&mut out[moved..]);
        }
        moved
    }

    /// Whether [`Self::transmit`] has moved the last frame out entirely: another sender's frame may follow.
    pub fn is_between_frames(&self) -> bool {
        self.encoder.is_drained()
    }

    /// Whether [`Self::transmit`] has something to say.
    pub fn wants_transmit(&self) -> bool {
        let to_known_node = self.ack
            || self.resend.due
            || self.snapshot
            || self.exchanges.is_due()
            || self.identify.is_some()
            || self.update_report
            || self.commands.is_due();
        !self.encoder.is_drained() || self.hello.due || (self.boot.is_some() && to_known_node)
    }

    /// Puts the next frame into the encoder, if there is one.
    fn encode_next(&mut self) -> bool {
        let frame = if self.hello.take() {
            let sequence = self.questions.latest();
            Frame { boot_id: 0, sequence, message: Message::RequestHello }
        } else if let Some(boot) = &self.boot {
            let (sequence, message) = if core::mem::take(&mut self.ack) {
                (boot.committed, Message::Ack)
            } else if self.resend.take() {
                (boot.received, Message::RequestResend)
            } else if let Some(number) = self.exchanges.take_due() {
                self.snapshot = false;
                (number, Message::RequestSnapshot)
            } else if core::mem::take(&mut self.snapshot) {
                (self.exchanges.latest().unwrap_or(0), Message::RequestSnapshot)
            } else if let Some(seconds) = self.identify.take() {
                (0, Message::Identify(Identify { seconds }))
            } else if core::mem::take(&mut self.update_report) {
                (0, Message::RequestUpdate)
            } else if let Some(command) = self.commands.take_due() {
                (0, Message::Command(command))
            } else {
                return false;
            };
            Frame { boot_id: boot.id, sequence, message }
        } else {
            return false;
        };
        self.encoder.encode(&frame).is_ok()
    }

    /// The boot that introduced itself last.
    pub fn boot_id(&self) -> Option<u32> {
        self.boot.as_ref().map(|boot| boot.id)
    }

    /// Time of the last whole frame. A node sends at least a snapshot a second: three seconds of silence mean that it is
    /// offline.
    pub fn last_frame(&self) -> Option<HubTime> {
        self.last_frame
    }

    /// Number of duplicates, which were ignored.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }
}
