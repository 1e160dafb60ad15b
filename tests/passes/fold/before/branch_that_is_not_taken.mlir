!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %f = "py.constant"() {value = "0", at = "2:4"} : () -> !bool
  "py.if"(%f) ({
    "asc.trap"() {form = "", reason = "division by zero", at = "4:4"} : () -> ()
  }, {
    ^bb0:
  }) {at = "3:4"} : (!bool) -> ()
  "asc.printf"(%n) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!int) -> ()
}) {sym_name = "branch_that_is_not_taken", parameters = ["n", "m", "x"]} : () -> ()
