"""Files over the network, links and control laws on this machine."""
