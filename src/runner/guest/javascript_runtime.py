class JavaScriptRuntime: pass
