//! Windows' name of an adapter, which DXGI, Direct3D 12, Vulkan and CUDA tell alike.

use std::fmt;

use super::{Device, all};
use crate::driver::{out, table};
use crate::error::{Error, ErrorKind, Result};

/// A locally unique identifier: names an adapter until the machine restarts. The eight bytes of Windows' `LUID`: its
/// `LowPart`, then its `HighPart`, lowest byte first.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Luid(pub [u8; 8]);

impl Luid {
    /// From the parts of a `LUID`, such as `DXGI_ADAPTER_DESC::AdapterLuid` or `ID3D12Device::GetAdapterLuid`.
    #[must_use]
    pub fn from_parts(low: u32, high: i32) -> Self {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&low.to_le_bytes());
        bytes[4..].copy_from_slice(&high.to_le_bytes());
        Self(bytes)
    }
}

impl fmt::Display for Luid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = u64::from_le_bytes(self.0);
        write!(f, "{:08x}-{:08x}", number >> 32, number & 0xffff_ffff)
    }
}

impl fmt::Debug for Luid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Luid({self})")
    }
}

/// One GPU: an adapter, and which of the GPUs that are linked to one adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AdapterNode {
    /// The adapter.
    pub luid: Luid,
    /// The bits of its nodes; a GPU has one bit, and 1 where none are linked.
    pub mask: u32,
}

impl AdapterNode {
    /// The only GPU of an adapter, or the first of linked ones.
    #[must_use]
    pub fn first(luid: Luid) -> Self {
        Self { luid, mask: 1 }
    }

    /// From `VkPhysicalDeviceIDProperties`: `deviceLUIDValid`, `deviceLUID` and `deviceNodeMask`. `None` where the LUID is
    /// not valid, as everywhere but on Windows.
    #[must_use]
    pub fn from_vulkan(valid: bool, luid: [u8; 8], mask: u32) -> Option<Self> {
        valid.then_some(Self { luid: Luid(luid), mask })
    }

    /// Whether they are the same GPU: the same adapter, and a node in common.
    #[must_use]
    pub fn is_same(self, other: Self) -> bool {
        self.luid == other.luid && self.mask & other.mask != 0
    }
}

impl fmt::Display for AdapterNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "adapter {}, node mask {:#x}", self.luid, self.mask)
    }
}

impl Device {
    /// The device's adapter (`cuDeviceGetLuid`). Only on Windows.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::MissingSymbol`] elsewhere; the driver's answer, for example for a GPU in compute mode (TCC).
    pub fn adapter_node(&self) -> Result<AdapterNode> {
        let operation = format!("asking for the LUID of CUDA device {}", self.ordinal());
        let call = table::DEVICE_GET_LUID.get(&operation)?;
        let mut mask = 0;
        // SAFETY: eight bytes are valid with all bits zero; the driver writes eight bytes and one integer.
        let luid = unsafe {
            out(operation, |p: *mut [u8; 8]| call(p.cast(), &raw mut mask, self.cu_device()))
        }?;
        Ok(AdapterNode { luid: Luid(luid), mask })
    }
}

/// The CUDA device that is this GPU: open that one, and import into it what Direct3D 12 or Vulkan exports.
///
/// # Errors
///
/// [`ErrorKind::OtherDevice`] with the LUIDs of CUDA's devices if none of them is; no driver; or
/// [`ErrorKind::MissingSymbol`] where there are no LUIDs.
pub fn by_adapter(wanted: AdapterNode) -> Result<Device> {
    let mut nodes = Vec::new();
    let mut refused = None;
    for device in all()? {
        match device.adapter_node() {
            Ok(node) => nodes.push((device, node)),
            Err(error) => refused = Some(error),
        }
    }
    match (choose(&nodes, wanted), refused) {
        (Some(device), _) => Ok(device),
        // No device told anything: the reason says more than an empty list.
        (None, Some(error)) if nodes.is_empty() => Err(error),
        (None, _) => Err(none_of(&nodes, wanted)),
    }
}

fn choose<D: Copy>(nodes: &[(D, AdapterNode)], wanted: AdapterNode) -> Option<D> {
    nodes.iter().find(|(_, node)| node.is_same(wanted)).map(|(device, _)| *device)
}

fn none_of(nodes: &[(Device, AdapterNode)], wanted: AdapterNode) -> Error {
    let own: Vec<String> =
        nodes.iter().map(|(device, node)| format!("{}: {node}", device.ordinal())).collect();
    let kind = ErrorKind::OtherDevice {
        cuda: format!("none of CUDA's devices ({})", own.join("; ")),
        exporter: wanted.to_string(),
    };
    Error::new(kind, "looking for the CUDA device of an adapter")
        .hint("take the adapter that the NVIDIA GPU is, by its LUID and never by an order")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_luid_is_windows_eight_bytes() {
        let luid = Luid::from_parts(0x0001_23c4, 0x0a);
        assert_eq!(luid.0, [0xc4, 0x23, 0x01, 0, 0x0a, 0, 0, 0]);
        assert_eq!(luid.to_string(), "0000000a-000123c4");
        assert_eq!(Luid::from_parts(1, -1).to_string(), "ffffffff-00000001");
        // Vulkan tells the same bytes.
        assert_eq!(AdapterNode::from_vulkan(true, luid.0, 1), Some(AdapterNode::first(luid)));
        assert_eq!(AdapterNode::from_vulkan(false, luid.0, 1), None);
    }

    #[test]
    fn adapter_and_node_decide_and_not_the_order() {
        let (one, two) = (Luid::from_parts(1, 0), Luid::from_parts(1, 1));
        let linked = |mask| AdapterNode { luid: two, mask };
        let nodes = [("a", linked(2)), ("b", linked(1)), ("c", AdapterNode::first(one))];
        assert_eq!(choose(&nodes, AdapterNode::first(one)), Some("c"));
        assert_eq!(choose(&nodes, AdapterNode::first(two)), Some("b"));
        assert_eq!(choose(&nodes, linked(2)), Some("a"));
        assert_eq!(choose(&nodes, linked(4)), None);
        assert_eq!(choose(&nodes, AdapterNode { luid: one, mask: 0 }), None);
        assert_eq!(choose(&nodes, AdapterNode::first(Luid::from_parts(2, 0))), None);
    }
}
