"""One verb per module. A verb works in the transaction it is given and never opens one."""
