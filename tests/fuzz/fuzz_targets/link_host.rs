//! Frames with any contents, to the hub's end of the link.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proto::link::{
    COMMAND_ATTEMPTS, Decoder, HostEvent, HostSession, HubTime, MAX_COMMANDS, Message, Order,
};

mod frames;

fuzz_target!(|data: &[u8]| {
    let mut session = HostSession::new(None);
    let mut now = HubTime::ZERO;
    // Boot and next sequence.
    let mut expected: Option<(u32, u32)> = None;
    let mut said = Decoder::new();
    let (mut commands, mut attempts) = (Vec::new(), 0_usize);
    let mut given = 0_usize;
    for (index, frame) in frames::frames(data).iter().enumerate() {
        now = now.plus_micros(50_000);
        let mut heard = Vec::new();
        session.receive(now, frame, |event| heard.push(event));
        session.poll(now, |event| heard.push(event));
        if index % 4 == 0 {
            let command = session.command(now, Order::PauseClock);
            given += usize::from(command.is_ok());
            commands.extend(command);
            assert!(commands.len() <= MAX_COMMANDS);
        }
        for event in heard {
            let (boot, first, last) = match event {
                HostEvent::Hello { boot_id, next_sequence, .. } => {
                    if let Some((boot, next)) = expected.filter(|(boot, _)| *boot == boot_id) {
                        assert_eq!((boot, next), (boot_id, next_sequence));
                    }
                    expected = Some((boot_id, next_sequence));
                    continue;
                }
                HostEvent::Event { boot_id, sequence, message } => {
                    assert!(message.message_type().is_event());
                    (boot_id, sequence, sequence)
                }
                HostEvent::Gap { boot_id, first, last } => (boot_id, first, last),
                HostEvent::CommandEnded { command, .. } => {
                    // In the order in which they were given.
                    assert_eq!(commands.remove(0), command);
                    continue;
                }
                HostEvent::Snapshot { boot_id, sequence, .. } => {
                    assert_eq!(expected, Some((boot_id, sequence.saturating_add(1))));
                    continue;
                }
                _ => continue,
            };
            assert_eq!(expected, Some((boot, first)));
            assert!(first <= last);
            expected = Some((boot, last.saturating_add(1)));
            if index % 2 == 0 {
                session.committed(boot, last);
            }
        }
        let mut answer = [0; 64];
        let length = session.transmit(&mut answer);
        said.push_all(&answer[..length], |frame| {
            let frame = frame.unwrap();
            assert!(!frame.message.message_type().is_from_node());
            attempts += usize::from(matches!(frame.message, Message::Command(_)));
            if frame.message == Message::Ack {
                assert!(
                    expected
                        .is_some_and(|(boot, next)| boot == frame.boot_id && frame.sequence < next)
                );
            }
        });
    }
    assert!(attempts <= given * usize::from(COMMAND_ATTEMPTS));
});
