//! Many resources in one map: one driver call to map, one to unmap.

use std::fmt;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::CudaStream;
use smallvec::SmallVec;

use super::image::{ImageView, RawImage};
use super::mapped::RawSlice;
use super::mapping::{Mapping, Registrations};
use super::registration::Registration;
use super::{Access, GlBuffer, GlImage};
use crate::error::{Error, Result};
use crate::memory::DeviceViewMut;

/// As many as a slice or a vector of resources has, without an allocation if they are few.
type Few<T> = SmallVec<[T; 16]>;

/// What [`map_all`] can map: `&mut` of a resource, slices and vectors of those, and tuples of any of these.
///
/// Only this crate implements it.
pub trait MapTarget<'a>: Target<'a> {}

impl<'a, M: Target<'a>> MapTarget<'a> for M {}

/// What stands behind [`MapTarget`]: out of reach, since calling it out of order would give views without a mapping.
pub trait Target<'a>: Sized {
    /// The mapped form, which gives out the views.
    type Parts: Parts;
    /// What is needed to make the mapped form once the map call has succeeded.
    type Ticket;
    fn prepare(self, registrations: &mut Registrations<'a>) -> Result<Self::Ticket>;
    fn resolve(ticket: Self::Ticket) -> Result<Self::Parts>;
}

/// The mapped form of a [`MapTarget`].
pub trait Parts {
    /// One view for each resource, in the shape of the target.
    type Views<'m>
    where
        Self: 'm;
    fn views<'m>(&'m mut self, stream: &'m Arc<CudaStream>) -> Self::Views<'m>;
}

/// Several resources while they are CUDA's. Dropping it unmaps all of them in one driver call.
///
/// OpenGL may do anything meanwhile that does not touch them. To present the frame that was drawn from them before is worth
/// it: the GPU changes over to CUDA beside that.
pub struct MappedSet<'a, P> {
    parts: P,
    mapping: Mapping<'a>,
}

/// Maps all of `targets` in one driver call, or none of them.
///
/// ```no_run
/// # use cuda_interop::gl::{GlBuffer, map_all};
/// # use std::sync::Arc;
/// # fn frame(points: &mut GlBuffer<[f32; 4]>, colours: &mut GlBuffer<u32>,
/// #          stream: &Arc<cudarc::driver::CudaStream>) -> cuda_interop::Result<()> {
/// let mut set = map_all((points, colours), stream)?;
/// let (mut points, mut colours) = set.views();
/// points.fill_bytes(0)?;
/// colours.fill_bytes(255)?;
/// set.unmap()
/// # }
/// ```
///
/// # Errors
///
/// As [`GlBuffer::map`]; also [`ErrorKind::WrongGlContext`](crate::ErrorKind::WrongGlContext) if the resources are
/// of different OpenGL contexts. Nothing is mapped then.
pub fn map_all<'a, M: MapTarget<'a>>(
    targets: M,
    stream: &Arc<CudaStream>,
) -> Result<MappedSet<'a, M::Parts>> {
    let mut registrations = Registrations::new();
    let ticket = targets.prepare(&mut registrations)?;
    let mapping = Mapping::new(registrations, stream)?;
    Ok(MappedSet { parts: M::resolve(ticket)?, mapping })
}

/// Maps all of `targets`, runs `body` with the mapping, which gives out the [views](MappedSet::views), and unmaps,
/// reporting that too.
///
/// # Errors
///
/// Those of [`map_all`], of `body`, or of the unmap, whichever comes first.
pub fn with_all_mapped<'a, M: MapTarget<'a>, R, E: From<Error>>(
    targets: M,
    stream: &Arc<CudaStream>,
    body: impl FnOnce(&mut MappedSet<'a, M::Parts>) -> std::result::Result<R, E>,
) -> std::result::Result<R, E> {
    let mut set = map_all(targets, stream)?;
    let value = body(&mut set)?;
    set.unmap()?;
    Ok(value)
}

impl<P: Parts> MappedSet<'_, P> {
    /// One view for each resource, in the shape of what was mapped.
    pub fn views(&mut self) -> P::Views<'_> {
        self.parts.views(self.mapping.stream())
    }

    /// The stream that the resources are mapped on.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        self.mapping.stream()
    }

    /// Unmaps all resources in one driver call.
    ///
    /// # Errors
    ///
    /// As [`Mapped::unmap`](super::Mapped::unmap).
    pub fn unmap(self) -> Result<()> {
        self.mapping.unmap()
    }
}

impl<P: fmt::Debug> fmt::Debug for MappedSet<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MappedSet").field("parts", &self.parts).finish_non_exhaustive()
    }
}

impl<'a, T: Pod> Target<'a> for &'a mut GlBuffer<T> {
    type Parts = RawSlice<T>;
    type Ticket = (&'a Registration, usize, Access);

    fn prepare(self, registrations: &mut Registrations<'a>) -> Result<Self::Ticket> {
        let (len, access) = (self.len(), self.access());
        let registration = self.ensure_registered()?;
        registrations.push(registration);
        Ok((registration, len, access))
    }

    fn resolve((registration, len, access): Self::Ticket) -> Result<Self::Parts> {
        RawSlice::of(registration, len, access)
    }
}

impl<'a> Target<'a> for &'a mut GlImage {
    type Parts = RawImage<'a>;
    type Ticket = RawImage<'a>;

    fn prepare(self, registrations: &mut Registrations<'a>) -> Result<Self::Ticket> {
        let raw = self.ensure_registered()?;
        registrations.push(raw.registration());
        Ok(raw)
    }

    fn resolve(ticket: Self::Ticket) -> Result<Self::Parts> {
        Ok(ticket)
    }
}

impl Parts for RawImage<'_> {
    type Views<'m>
        = ImageView<'m>
    where
        Self: 'm;

    fn views<'m>(&'m mut self, stream: &'m Arc<CudaStream>) -> Self::Views<'m> {
        self.view(stream)
    }
}

impl<T> Parts for RawSlice<T> {
    type Views<'m>
        = DeviceViewMut<'m, T>
    where
        T: 'm;

    fn views<'m>(&'m mut self, stream: &'m Arc<CudaStream>) -> Self::Views<'m> {
        self.view_mut(stream)
    }
}

impl<'a, M: Target<'a>> Target<'a> for Vec<M> {
    type Parts = Few<M::Parts>;
    type Ticket = Few<M::Ticket>;

    fn prepare(self, registrations: &mut Registrations<'a>) -> Result<Self::Ticket> {
        self.into_iter().map(|target| target.prepare(registrations)).collect()
    }

    fn resolve(tickets: Self::Ticket) -> Result<Self::Parts> {
        tickets.into_iter().map(M::resolve).collect()
    }
}

impl<'a, M> Target<'a> for &'a mut [M]
where
    &'a mut M: Target<'a>,
{
    type Parts = Few<<&'a mut M as Target<'a>>::Parts>;
    type Ticket = Few<<&'a mut M as Target<'a>>::Ticket>;

    fn prepare(self, registrations: &mut Registrations<'a>) -> Result<Self::Ticket> {
        self.iter_mut().map(|target| target.prepare(registrations)).collect()
    }

    fn resolve(tickets: Self::Ticket) -> Result<Self::Parts> {
        tickets.into_iter().map(<&'a mut M as Target<'a>>::resolve).collect()
    }
}

impl<P: Parts> Parts for Few<P> {
    type Views<'m>
        = Vec<P::Views<'m>>
    where
        P: 'm;

    fn views<'m>(&'m mut self, stream: &'m Arc<CudaStream>) -> Self::Views<'m> {
        self.iter_mut().map(|part| part.views(stream)).collect()
    }
}

macro_rules! tuples {
    ($( ($($name:ident . $index:tt),+) )*) => { $(
        impl<'a, $($name: Target<'a>),+> Target<'a> for ($($name,)+) {
            type Parts = ($($name::Parts,)+);
            type Ticket = ($($name::Ticket,)+);

            fn prepare(self, registrations: &mut Registrations<'a>) -> Result<Self::Ticket> {
                Ok(($(self.$index.prepare(registrations)?,)+))
            }

            fn resolve(ticket: Self::Ticket) -> Result<Self::Parts> {
                Ok(($($name::resolve(ticket.$index)?,)+))
            }
        }

        impl<$($name: Parts),+> Parts for ($($name,)+) {
            type Views<'m> = ($($name::Views<'m>,)+) where $($name: 'm),+;

            fn views<'m>(&'m mut self, stream: &'m Arc<CudaStream>) -> Self::Views<'m> {
                ($(self.$index.views(stream),)+)
            }
        }
    )* };
}

tuples! {
    (A.0)
    (A.0, B.1)
    (A.0, B.1, C.2)
    (A.0, B.1, C.2, D.3)
    (A.0, B.1, C.2, D.3, E.4)
    (A.0, B.1, C.2, D.3, E.4, F.5)
    (A.0, B.1, C.2, D.3, E.4, F.5, G.6)
    (A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7)
}
