// Tables only: nothing is drawn but the choice of colours.

keepDrawn(() => {});
