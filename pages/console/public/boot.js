// Before the first paint, and before any other script sees the address.
