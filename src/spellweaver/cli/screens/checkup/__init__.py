"""What ``doctor`` looks at, a module for each part of it. Everything is read and nothing is mended."""
