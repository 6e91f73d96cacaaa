"""The job runtime: worker threads behind the ``Handler`` seam, over the processes of ``host``."""
