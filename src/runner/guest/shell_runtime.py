class ShellRuntime: pass
