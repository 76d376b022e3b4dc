/* Draws each panel of a dashboard from what its address answers. */
'use strict';

const colours = [
  '#7eb26d',
  '#eab839',
  '#6ed0e0',
  '#ef843c',
  '#e24d42',
  '#1f78c1',
  '#ba43a9',
  '#705da0',
  '#508642',
  '#cca300',
  '#447ebc',
  '#c15c17',
];

const units = {
  s: (value) => `${value} s`,
  ops: (value) => `${value} /s`,
  reqps: (value) => `${value} /s`,
  none: (value) => String(value),
};

const rounded = (value) => Number(value.toPrecision(4));

const drawPanel = async (panel) => {
  const { unit, moments, series } = await (await fetch(panel.dataset.panel)).json();
  if (series.length === 0) {
    panel.textContent = 'No data';
    return;
  }
  const format = units[unit] ?? units.none;
  const lines = series.map(({ label }, index) => ({
    label,
    stroke: colours[index % colours.length],
    width: 1.5,
    spanGaps: false,
    value: (_, value) => (value === null || value === undefined ? '' : format(rounded(value))),
  }));
  const options = {
    width: panel.clientWidth,
    height: 180,
    series: [{}, ...lines],
    cursor: { show: true },
    legend: { live: false },
    scales: { y: { range: (_, low, high) => [Math.min(0, low), high <= 0 ? 1 : high * 1.1] } },
    axes: [
      { stroke: '#9aa4b2', grid: { stroke: '#2a313b' } },
      {
        stroke: '#9aa4b2',
        grid: { stroke: '#2a313b' },
        size: 70,
        values: (_, ticks) => ticks.map((value) => format(rounded(value))),
      },
    ],
  };
  panel.uplot = new uPlot(options, [moments, ...series.map(({ values }) => values)], panel);
};

const drawAll = async () => {
  await Promise.all([...document.querySelectorAll('.panel')].map(drawPanel));
  document.body.dataset.drawn = 'true';
};

void drawAll();
