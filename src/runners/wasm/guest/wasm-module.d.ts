declare module '*/plugin.wasm' {
  const module: WebAssembly.Module
  export default module
}
