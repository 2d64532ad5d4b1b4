//! The part of the workout that shares memory and semaphores with other APIs. The other API is this test: a file in memory
//! and an `eventfd`, which is what the stand-in driver takes for exports.

use std::fs::File;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use cuda_interop::external::{
    Allocation, BinarySemaphore, ExportableMemory, ExternalMemory, ImageDesc, ImageFormat,
    MemoryHandle, SemaphoreHandle, SemaphoreLink, TimelineSemaphore, wait_within,
};
use cuda_interop::memory::PinnedBuffer;
use cuda_interop::{Error, Result};
use cudarc::driver::{CudaContext, CudaStream};

/// `VK_FORMAT_R8G8B8A8_UNORM`.
const RGBA8: i32 = 37;
const WORDS: usize = 1024;

/// One thing after another, each with the result of its own.
pub(crate) fn run(cuda: &Arc<CudaContext>, stream: &Arc<CudaStream>) -> Vec<Result<()>> {
    vec![
        pinned(cuda),
        exported_and_imported(cuda, stream),
        image(cuda, stream),
        binary(cuda, stream),
        timeline(cuda, stream),
        wait_within(stream, Duration::from_secs(5)),
    ]
}

fn pinned(cuda: &Arc<CudaContext>) -> Result<()> {
    let mut memory = PinnedBuffer::<u32>::zeroed(cuda, WORDS)?;
    memory[WORDS - 1] = 5;
    assert_eq!((memory[0], memory[WORDS - 1]), (0, 5));
    Ok(())
}

/// CUDA's own memory, imported into CUDA again: what one side writes, the other reads.
fn exported_and_imported(cuda: &Arc<CudaContext>, stream: &Arc<CudaStream>) -> Result<()> {
    let exported = ExportableMemory::new(cuda, 4 * WORDS)?;
    // SAFETY: both buffers are used on one stream alone.
    let mut writer = unsafe { exported.buffer::<u32>(0, WORDS) }?;
    let data: Vec<u32> = (0..WORDS as u32).collect();
    writer.on(stream)?.copy_from_host(&data)?;
    let handle = MemoryHandle::OpaqueFd(exported.export()?);
    let imported = import(cuda, handle, exported.size_bytes())?;
    // SAFETY: as above.
    let mut reader = unsafe { imported.buffer::<u32>(0, WORDS) }?;
    assert!(reader.on(stream)?.to_vec()? == data, "the importer sees something else");
    Ok(())
}

fn import(cuda: &Arc<CudaContext>, handle: MemoryHandle<'_>, bytes: u64) -> Result<ExternalMemory> {
    let allocation = Allocation { size_bytes: bytes, dedicated: false, device: None };
    // SAFETY: a descriptor of an allocation of that size.
    unsafe { ExternalMemory::import(cuda, handle, allocation) }
        .map_err(|error| error.into_parts().0)
}

fn image(cuda: &Arc<CudaContext>, stream: &Arc<CudaStream>) -> Result<()> {
    let file = memory_file(4 << 10);
    let memory = import(cuda, MemoryHandle::OpaqueFd(file), 4 << 10)?;
    let desc = ImageDesc { levels: 2, ..ImageDesc::d2(ImageFormat::from_vulkan(RGBA8)?, 16, 8) };
    // SAFETY: nobody else uses the memory.
    let mut image = unsafe { memory.image(0, desc) }?;
    let data: Vec<u32> = (0..32).collect();
    let mut level = image.level(1, stream)?;
    level.copy_from_host(&data)?;
    level.surface()?;
    assert!(level.to_vec::<u32>()? == data, "the level holds something else");
    Ok(())
}

fn binary(cuda: &Arc<CudaContext>, stream: &Arc<CudaStream>) -> Result<()> {
    // SAFETY: a new descriptor, owned here.
    let event = unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, libc::EFD_CLOEXEC)) };
    let handle = SemaphoreHandle::OpaqueFd(event);
    // SAFETY: a binary semaphore, as the stand-in takes them.
    let semaphore = unsafe { BinarySemaphore::import(cuda, handle, None, &SemaphoreLink::new()) }
        .map_err(|error| error.into_parts().0)?;
    let signalled = semaphore.signal(stream)?;
    semaphore.wait(stream, &signalled)
}

fn timeline(cuda: &Arc<CudaContext>, stream: &Arc<CudaStream>) -> Result<()> {
    let handle = SemaphoreHandle::TimelineFd(memory_file(8));
    // SAFETY: a timeline semaphore, as the stand-in takes them.
    let semaphore = unsafe { TimelineSemaphore::import(cuda, handle, None, &SemaphoreLink::new()) }
        .map_err(|error: _| -> Error { error.into_parts().0 })?;
    semaphore.signal(stream, 3)?;
    semaphore.wait(stream, 3)
}

/// A file that lives in memory alone.
fn memory_file(bytes: u64) -> OwnedFd {
    // SAFETY: a name with its NUL; the new descriptor is owned here.
    let file =
        unsafe { File::from_raw_fd(libc::memfd_create(c"exported".as_ptr(), libc::MFD_CLOEXEC)) };
    file.set_len(bytes).unwrap();
    file.into()
}
