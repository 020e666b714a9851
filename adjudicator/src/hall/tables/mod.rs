//! Tables of the hall: their matches, their hubs and their orders. Nothing here names the event.

pub(super) mod apply;
pub(super) mod clock_offset;
pub(super) mod clock_order;
pub(super) mod ending;
pub(super) mod evidence;
pub(super) mod game;
pub(super) mod hubs;
pub(super) mod losses;
pub(super) mod matches;
pub(super) mod order_effect;
pub(super) mod orders;
pub(super) mod ownership;
pub(super) mod panic_guard;
pub(super) mod per_move;
pub(super) mod presence;
pub(super) mod put_ups;
pub(super) mod row_limits;
pub(super) mod table_list;
pub(super) mod withheld;
pub(super) mod work_quota;
