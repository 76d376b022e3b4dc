/** The page's look, light and dark. */
export const pageStyle = `
:root { color-scheme: light dark; --ground: #f6f4ef; --card: #fff; --ink: #1f1d1a; --soft: #6f6a61;
  --line: #e6e1d6; --gold: #b8860b; --gold-ink: #fff; --good: #1a7f4b; --bad: #b3261e;
  --code: #f3efe6; }
@media (prefers-color-scheme: dark) { :root { --ground: #15140f; --card: #1f1d17; --ink: #efeadd;
  --soft: #a39c8c; --line: #35322a; --gold: #d9a521; --gold-ink: #1b1608; --good: #5fcf98;
  --bad: #ff8a80; --code: #292620; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: 16px 32px; align-items: center;
  justify-content: space-between; padding: 18px 24px; background: var(--card);
  border-bottom: 1px solid var(--line); position: sticky; top: 0; z-index: 1; }
.brand { display: grid; grid-template-columns: auto 1fr; column-gap: 12px; align-items: center; }
.brand h1 { margin: 0; font-size: 19px; letter-spacing: -.01em; }
.brand p { margin: 0; grid-column: 2; color: var(--soft); font-size: 13px; }
.coin { grid-row: 1 / 3; width: 38px; height: 38px; border-radius: 50%;
  background: radial-gradient(circle at 32% 28%, #ffe9a8, #d9a521 55%, #936600);
  box-shadow: inset 0 0 0 3px rgb(255 255 255 / 25%); }
.figures { display: flex; flex-wrap: wrap; gap: 8px 28px; }
.figure span, .figure em { display: block; color: var(--soft); font-size: 11.5px;
  font-style: normal; }
.figure strong { font-size: 16px; font-variant-numeric: tabular-nums; white-space: nowrap; }
.live strong { color: var(--good); } .live strong.down { color: var(--bad); }
main { display: grid; grid-template-columns: repeat(6, 1fr); gap: 16px; padding: 20px 24px; }
section { grid-column: span 2; background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; padding: 14px 16px; min-width: 0; }
section.wide { grid-column: span 3; } section.broad { grid-column: span 4; }
section.full { grid-column: 1 / -1; }
@media (max-width: 1100px) { section, section.wide, section.broad {
  grid-column: 1 / -1; } }
h2 { margin: 0 0 10px; font-size: 13px; text-transform: uppercase; letter-spacing: .06em;
  color: var(--soft); font-weight: 600; }
form + h2, .buttons + h2 { margin-top: 18px; }
h2 small { text-transform: none; letter-spacing: 0; font-weight: 400; }
a { color: var(--gold); }
.list { max-height: 340px; overflow: auto; margin: 0 -16px -14px; padding: 0 16px 10px; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 500; color: var(--soft); font-size: 12px; position: sticky;
  top: 0; background: var(--card); }
th, td { padding: 6px 10px 6px 0; border-bottom: 1px solid var(--line); vertical-align: middle; }
tr:last-child td { border-bottom: 0; }
th.number { text-align: right; }
td.nowrap { white-space: nowrap; } td.number { text-align: right; white-space: nowrap; }
code { font: 12px/1.4 ui-monospace, SFMono-Regular, Menlo, monospace; background: var(--code);
  padding: 1px 5px; border-radius: 4px; overflow-wrap: anywhere; }
.otp { font: 600 17px ui-monospace, Menlo, monospace; letter-spacing: .12em; color: var(--gold); }
.soft { color: var(--soft); } .empty { color: var(--soft); margin: 0; padding-bottom: 6px; }
.tag { display: inline-block; padding: 1px 8px; border-radius: 99px; font-size: 12px;
  border: 1px solid currentColor; color: var(--soft); white-space: nowrap; }
.tag.good { color: var(--good); } .tag.bad { color: var(--bad); } .tag.gold { color: var(--gold); }
button { font: inherit; padding: 5px 12px; border-radius: 8px; border: 1px solid var(--line);
  background: var(--card); color: var(--ink); cursor: pointer; white-space: nowrap; }
button:hover { border-color: var(--gold); }
button.main { background: var(--gold); border-color: var(--gold); color: var(--gold-ink);
  font-weight: 600; }
.buttons, form { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; }
section > .buttons { margin-bottom: 10px; }
form { margin-bottom: 12px; }
label { display: grid; gap: 3px; font-size: 12px; color: var(--soft); }
input, select { font: inherit; font-size: 13px; padding: 5px 8px; border-radius: 8px; width: auto;
  border: 1px solid var(--line); background: var(--ground); color: var(--ink); max-width: 170px; }
input[type="number"] { width: 84px; } input[inputmode] { width: 104px; }
details summary { cursor: pointer; color: var(--soft); }
pre { margin: 6px 0 0; padding: 10px; background: var(--code); border-radius: 8px; overflow: auto;
  max-height: 260px; font: 12px/1.45 ui-monospace, Menlo, monospace; white-space: pre-wrap;
  overflow-wrap: anywhere; }
#journal .list { max-height: 620px; }
#problem { margin: 16px 24px 0; padding: 10px 14px; border-radius: 10px; color: var(--bad);
  border: 1px solid currentColor; background: var(--card); }
`;
