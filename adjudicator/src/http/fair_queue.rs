//! Records are written in a lane of their own, one after the other.
//!
//! The records of an event are every match in full, written anew whenever somebody asks: work for some tenths of a second that must not
//! be done by the threads that serve the hall, nor by several at a time because somebody asks in a loop. So it is done on a thread for
//! long work, one request at a time. What is short, as one match, has a lane of its own: it never waits behind an archive.
//!
//! Few requests may wait, and of one address very few. Addresses take turns, and when all places are taken a newcomer is given one of
//! the address that has most: a crowd of some addresses keeps nobody else out, and nobody else waiting for longer than a turn of each.

use std::{
    collections::VecDeque,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Extension,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::Response,
};
use tokio::{runtime::Handle, sync::oneshot, task};

use super::{problem, server::Peer};
use crate::machine::connection_limit::{household, is_this_machine};

/// Most requests for records of the whole event that wait, and of one address; a proxy on this machine is exempt.
const WAITING_MAX: usize = 256;
const WAITING_OF_ONE_ADDRESS_MAX: usize = 16;

/// The same of what is short: pupils behind one router look at their matches at once.
const SHORT_WAITING_MAX: usize = 1_024;
const SHORT_WAITING_OF_ONE_ADDRESS_MAX: usize = 256;

/// Seconds after which whoever found no place is to ask again.
const AGAIN_S: u16 = 2;

/// The lane.
#[derive(Clone)]
pub(crate) struct Lane(Arc<Mutex<WaitingRequests>>);

/// Who waits.
struct WaitingRequests {
    /// Most requests that wait, and of one address.
    waiting_max: usize,
    waiting_of_one_address_max: usize,
    /// Whether somebody has the turn.
    is_taken: bool,
    /// Those of each address, none without any, in the order in which addresses take turns.
    waiting: VecDeque<(IpAddr, VecDeque<oneshot::Sender<Turn>>)>,
}

/// The turn of a request. It is the next one's when dropped.
pub(crate) struct Turn(Option<Lane>);

impl WaitingRequests {
    /// A place for a request from `address`: what its turn comes through.
    fn join(&mut self, address: IpAddr) -> Option<oneshot::Receiver<Turn>> {
        self.forget_who_left();
        let at = self.waiting.iter().position(|(one, _)| *one == address);
        let own = at.map_or(0, |at| self.waiting[at].1.len());
        if own >= self.waiting_of_one_address_max && !is_this_machine(address) {
            return None;
        }
        let count: usize = self.waiting.iter().map(|(_, line)| line.len()).sum();
        if count >= self.waiting_max && !self.make_room(own) {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        match at {
            Some(at) => self.waiting[at].1.push_back(sender),
            None => self.waiting.push_back((address, VecDeque::from([sender]))),
        }
        Some(receiver)
    }

    /// Sends the last one of the address away that has most, if it has more than one that has `own` would have then.
    fn make_room(&mut self, own: usize) -> bool {
        let longest = self.waiting.iter_mut().map(|(_, line)| line).max_by_key(|line| line.len());
        longest.filter(|line| line.len() > own + 1).and_then(VecDeque::pop_back).is_some()
    }

    fn forget_who_left(&mut self) {
        for (_, line) in &mut self.waiting {
            line.retain(|one| !one.is_closed());
        }
        self.waiting.retain(|(_, line)| !line.is_empty());
    }

    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        let (address, mut line) = self.waiting.pop_front()?;
        let next = line.pop_front();
        if !line.is_empty() {
            self.waiting.push_back((address, line));
        }
        next
    }
}

impl Lane {
    /// The lane of what tells a whole event.
    pub(crate) fn of_records() -> Lane {
        Lane::new(WAITING_MAX, WAITING_OF_ONE_ADDRESS_MAX)
    }

    /// The lane of what is short.
    pub(crate) fn of_pages() -> Lane {
        Lane::new(SHORT_WAITING_MAX, SHORT_WAITING_OF_ONE_ADDRESS_MAX)
    }

    fn new(waiting_max: usize, waiting_of_one_address_max: usize) -> Lane {
        let waiting = VecDeque::new();
        let queue =
            WaitingRequests { waiting_max, waiting_of_one_address_max, is_taken: false, waiting };
        Lane(Arc::new(Mutex::new(queue)))
    }

    fn queue(&self) -> MutexGuard<'_, WaitingRequests> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the turn of a request from `address`; none where it has no place, or loses it to a newcomer.
    pub(crate) async fn turn(&self, address: IpAddr) -> Option<Turn> {
        let place = {
            let mut queue = self.queue();
            match std::mem::replace(&mut queue.is_taken, true) {
                true => Some(queue.join(household(address))?),
                false => None,
            }
        };
        match place {
            Some(place) => place.await.ok(),
            None => Some(Turn(Some(self.clone()))),
        }
    }

    /// Gives the turn to whoever is next.
    fn pass_on(&self) {
        loop {
            let next = {
                let mut queue = self.queue();
                let next = queue.next();
                queue.is_taken = next.is_some();
                next
            };
            let Some(next) = next else { return };
            match next.send(Turn(Some(self.clone()))) {
                Ok(()) => return,
                // Whoever that was does not wait any longer.
                Err(mut turn) => turn.0 = None,
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(lane) = self.0.take() {
            lane.pass_on();
        }
    }
}

/// Serves a request when it is its turn.
pub(super) async fn through(
    State(lane): State<Lane>,
    Extension(Peer(address)): Extension<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let Some(turn) = lane.turn(address).await else {
        let reason = "too many records are asked for at once: ask again in some seconds";
        let mut refusal = problem(StatusCode::TOO_MANY_REQUESTS, reason);
        refusal.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(AGAIN_S));
        return refusal;
    };
    let here = Handle::current();
    let write = move || {
        let served = here.block_on(next.run(request));
        // Not before: who asked may be gone, and the record is written to its end all the same.
        drop(turn);
        served
    };
    task::spawn_blocking(write).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a record was not written to its end");
        problem(StatusCode::INTERNAL_SERVER_ERROR, "the record could not be written")
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::{Router, body::Body, middleware, routing::get};
    use tokio::sync::Semaphore;
    use tower_service::Service as _;

    use super::*;

    /// Longest wait for anything.
    const PATIENCE: Duration = Duration::from_secs(20);

    /// A lane whose work ends when it is told to, and what is served there, in order.
    struct Slow {
        router: Router,
        gate: Arc<Semaphore>,
        served: Arc<Mutex<Vec<IpAddr>>>,
    }

    impl Slow {
        fn new() -> Slow {
            let gate = Arc::new(Semaphore::new(0));
            let served = Arc::new(Mutex::new(Vec::new()));
            let (waits, tells) = (gate.clone(), served.clone());
            let work = async move |Extension(Peer(address)): Extension<Peer>| {
                // Closed at the end of a test that failed: what is begun must come to its end.
                if let Ok(permit) = waits.acquire().await {
                    permit.forget();
                    tells.lock().unwrap().push(address);
                }
            };
            let router = Router::new()
                .route("/", get(work))
                .layer(middleware::from_fn_with_state(Lane::of_records(), through));
            Slow { router, gate, served }
        }

        fn ask(&self, address: IpAddr) -> task::JoinHandle<StatusCode> {
            let mut request = Request::new(Body::empty());
            request.extensions_mut().insert(Peer(address));
            let answer = self.router.clone().call(request);
            tokio::spawn(async move { answer.await.unwrap().status() })
        }
    }

    impl Drop for Slow {
        fn drop(&mut self) {
            self.gate.close();
        }
    }

    fn address(number: u8) -> IpAddr {
        [192, 0, 2, number].into()
    }

    /// Lets everybody who has asked come as far as they do.
    async fn settle() {
        for _ in 0..1_000 {
            task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_crowd_of_several_addresses_keeps_a_newcomer_neither_out_nor_waiting() {
        const ADDRESSES: u8 = 16;
        let slow = Slow::new();
        let mut crowd = Vec::new();
        for number in 1..=ADDRESSES {
            crowd.extend((0..2 * WAITING_OF_ONE_ADDRESS_MAX).map(|_| slow.ask(address(number))));
            settle().await;
        }
        let newcomer = slow.ask(address(200));
        settle().await;
        assert!(!newcomer.is_finished(), "it waits, and is not sent away");
        // One turn of each address that waits, and the one that is served now.
        slow.gate.add_permits(usize::from(ADDRESSES) + 2);
        let answer = tokio::time::timeout(PATIENCE, newcomer).await.expect("its turn");
        assert_eq!(answer.unwrap(), StatusCode::OK);
        slow.gate.add_permits(WAITING_MAX);
        let answers = futures::future::join_all(crowd).await;
        let count = |status| answers.iter().filter(|one| *one.as_ref().unwrap() == status).count();
        let (served, sent_away) = (count(StatusCode::OK), count(StatusCode::TOO_MANY_REQUESTS));
        assert_eq!(served + sent_away, answers.len());
        assert!((WAITING_MAX - 1..=WAITING_MAX + 1).contains(&served), "{served}");
        assert_eq!(slow.served.lock().unwrap().len(), served + 1);
    }

    #[tokio::test]
    async fn whoever_does_not_wait_any_longer_keeps_no_place_and_no_turn() {
        let slow = Slow::new();
        for _ in 0..3 {
            let gone: Vec<_> =
                (0..WAITING_OF_ONE_ADDRESS_MAX).map(|_| slow.ask(address(1))).collect();
            settle().await;
            gone.iter().for_each(task::JoinHandle::abort);
            settle().await;
        }
        let stays = slow.ask(address(1));
        settle().await;
        slow.gate.add_permits(2);
        let answer = tokio::time::timeout(PATIENCE, stays).await.expect("its turn");
        assert_eq!(answer.unwrap(), StatusCode::OK);
        assert!(slow.served.lock().unwrap().len() <= 2, "what was begun is ended, and no more");
    }
}
