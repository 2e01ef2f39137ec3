//! Fluid models validated against closed forms, theorems of the papers and rest points computed by hand.

mod alike;
mod delay;
mod download;
mod emultcp;
mod starvation;
mod theorems;
