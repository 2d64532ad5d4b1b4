//! OpenGL's side of external memory and semaphores (`GL_EXT_memory_object_fd`, `GL_EXT_semaphore_fd`,
//! `GL_NV_timeline_semaphore`), and buffers that CUDA exports straight to OpenGL.
//!
//! # The life of a frame
//!
//! ```text
//!   OpenGL's commands                     CUDA's stream                     the host
//!   -----------------                     -------------                     --------
//!   ... draw the last frame
//!   signal A  ------------------------->  wait A                            Handover::map
//!                                         kernels write the buffers         launches, never waits
//!   wait B    <-------------------------  signal B                          MappedShared::unmap
//!   draw the buffers
//!   fence n                                                                 waits for fence n-2, with a limit
//! ```
//!
//! A and B are two binary semaphores, or two values of one timeline semaphore. Without semaphores ([`Handover::host`])
//! the host takes their place, and waits for OpenGL before the kernels and for CUDA after them.
//!
//! The wait for the fence two frames back bounds what is in flight, and finds out in bounded time when a signal is
//! missing; in the steady state it has long passed.

mod copies;
mod functions;
mod handover;
mod memory;
mod semaphore;
mod shared_buffer;

pub use handover::{Handover, HandoverKind, MappedShared, Side};
pub use memory::{GlMemory, GlMemoryBuffer, GlMemoryTexture};
pub use semaphore::{Barrier, GlBinarySemaphore, GlTimelineSemaphore};
pub use shared_buffer::{BufferNames, Shared, SharedBuffer};
