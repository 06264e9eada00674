//! The proof store from outside: models, damage, and processes that are killed.

#[path = "store/damage.rs"]
mod damage;
#[path = "store/full_disk.rs"]
mod full_disk;
#[path = "store/index.rs"]
mod index;
#[path = "store/kill.rs"]
mod kill;
#[path = "store/model.rs"]
mod model;
#[path = "store/sharing.rs"]
mod sharing;
#[path = "store/support.rs"]
mod support;
