//! The simulator in whole networks, validated against closed forms, conservation, published equations and its
//! contracts.

mod air_capture;
mod allocations;
mod backlog;
mod cell;
mod coding;
mod common;
mod copa;
mod delivery_rate;
mod device_queue;
mod emultcp;
mod goodput;
mod host_jitter;
mod invariants;
mod md1;
mod minstrel;
mod nodes;
mod padhye;
mod queues;
mod queues_on_air;
mod reordering;
mod requests;
mod scalable;
mod tcp_fit;
mod tfrc;
mod timeout;
