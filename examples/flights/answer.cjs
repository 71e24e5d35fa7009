// Computes answer.txt with Apache Arrow's JavaScript library:
// npm i apache-arrow && node answer.cjs > answer.txt
const { tableFromIPC } = require("apache-arrow");
const t = tableFromIPC(require("fs").readFileSync("flights-200k.arrow"));
const delay = t.getChild("delay"), distance = t.getChild("distance");
const sum = new Float64Array(32), count = new Float64Array(32);
for (let i = 0; i < t.numRows; i++) {
  if (delay.get(i) <= 15) continue;
  const k = Math.min(31, Math.max(0, Math.trunc(distance.get(i) / 100)));
  sum[k] += delay.get(i);
  count[k]++;
}
console.log(Array.from(sum, (s, k) => s / count[k]).join("\n"));
