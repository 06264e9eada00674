//! The proof store from outside: models, damage, sharing.

#[path = "store/damage.rs"]
mod damage;
#[path = "store/displaced.rs"]
mod displaced;
#[path = "store/import.rs"]
mod import;
#[path = "store/index.rs"]
mod index;
#[path = "store/model.rs"]
mod model;
#[path = "store/sharing.rs"]
mod sharing;
#[path = "store/support.rs"]
mod support;
#[path = "store/withdrawal.rs"]
mod withdrawal;
