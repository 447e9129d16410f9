/** Both schemes keep a contrast of 4.5:1 at least. */
export const STYLE = `
:root{ color-scheme:light dark;--text:light-dark(#1c1b1a,#ecebe8);--soft:light-dark(#5b5954,#b3b0a8);--page:light-dark(#f4f3f0,#161615);--card:light-dark(#fff,#222120);--line:light-dark(#d9d6cf,#45433f);--inset:light-dark(#f1efea,#2e2d2b);--go:light-dark(#0b5a4a,#7fd1bd);--go-text:light-dark(#fff,#10211d)}
*{box-sizing:border-box}
body{margin:0;font:1rem/1.55 system-ui,sans-serif;color:var(--text);background:var(--page)}
h2{font-size:1rem;margin:1.5rem 0 .5rem}
code,pre{font:.875em/1.5 ui-monospace,monospace}
code{background:var(--inset);padding:.1em .3em;border-radius:.25rem}
pre{background:var(--inset);padding:.75rem;border-radius:.5rem;margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
pre code{padding:0}
ul{list-style:none;margin:0;padding:0;border:1px solid var(--line);border-radius:.5rem}
li{padding:.6rem .75rem}
li + li{border-top:1px solid var(--line)}
dl{display:grid;grid-template-columns:fit-content(40%) minmax(0,1fr);gap:.35rem 1rem;margin:0}
dt{color:var(--soft)}
dd{margin:0}
form{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0 1rem}
label{flex:1 1 100%}
label.choice{display:flex;gap:.6rem;align-items:baseline}
label.choice input{width:auto;flex:none;margin:0}
input,select,textarea{font:inherit;display:block;width:100%;margin-top:.25rem;padding:.5rem .6rem;border-radius:.5rem;border:1px solid var(--soft);background:var(--page);color:inherit}
button{font:inherit;font-weight:600;padding:.6rem 1.1rem;min-height:2.75rem;border-radius:.5rem;border:1px solid var(--soft);background:transparent;color:inherit;cursor:pointer;max-width:100%;overflow-wrap:anywhere}
a.button{display:inline-block;font-weight:600;padding:.6rem 1.1rem;min-height:2.75rem;border-radius:.5rem;text-decoration:none;background:var(--go);color:var(--go-text);max-width:100%}
button.go{background:var(--go);border-color:var(--go);color:var(--go-text)}
a{color:inherit}
:focus-visible{outline:3px solid var(--go);outline-offset:2px}
.note{font-size:.875rem;color:var(--soft)}
.care{border-left:.25rem solid var(--go);padding-left:.75rem}
@media (max-width:26rem){dl{grid-template-columns:1fr;gap:0} dd{margin-bottom:.5rem} button{flex:1 1 100%} }
`

export const CARD = `
body{padding:1rem}
main{max-width:36rem;margin:4vh auto;padding:1.5rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem;overflow-wrap:anywhere}
header{font-size:.875rem;color:var(--soft)}
h1{font-size:1.4rem;line-height:1.3;margin:.25rem 0 1rem}
ul[role='list'] code{display:block;width:fit-content;max-width:100%;color:var(--soft)}
@media (max-width:26rem){main{padding:1rem;margin:0 auto} }
`

export const TEXT_STYLE = `
main{margin:0 auto;padding:1.5rem max(1.25rem,calc(50% - 32rem)) 4rem;overflow-wrap:anywhere}
header{font-size:.875rem;color:var(--soft)}
h1{font-size:1.8rem;line-height:1.25;margin:.25rem 0 1rem}
h2{font-size:1.35rem;line-height:1.3;margin:2.5rem 0 .75rem}
h3{font-size:1.1rem;margin:1.75rem 0 .5rem}
h1,h2,h3,p,main ul{max-width:70ch}
main ul{list-style:disc;border:0;padding-left:1.25rem;margin:.75rem 0}
main li{padding:.15rem 0}
main li + li{border:0}
pre{margin:.75rem 0}
.scroll{overflow-x:auto;margin:.75rem 0}
table{border-collapse:collapse;overflow-wrap:break-word}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);min-width:6rem}
th{color:var(--soft);font-weight:400}
main ul.list{list-style:none;padding:0}
.list li{padding:.4rem 0}
.list p{margin:0;color:var(--soft)}
dl{border-left:.25rem solid var(--line);padding-left:.75rem;max-width:60rem}
.contents{border-left:.25rem solid var(--line);padding-left:1rem;margin:1.5rem 0}
.contents h2{font-size:1rem;margin:0}
.contents ul{max-width:none;columns:18rem;list-style:none;padding:0;margin:.25rem 0 0}
@media (max-width:40rem){
table,tbody,tr,td{display:block} thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
td{border:0;padding:.1rem 0} td:first-child{font-weight:600} td:empty{display:none} tr{padding:.5rem 0;border-bottom:1px solid var(--line)}
}
`
