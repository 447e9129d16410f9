/** The metered plugin, which the loader compiles. */
declare module '*/plugin.wasm' {
  const module: WebAssembly.Module
  export default module
}
